package io.nodepool.world;

import io.nodepool.world.check.Invariants;
import io.nodepool.world.check.RequestLedger;
import io.nodepool.world.check.TerminationPath;
import java.util.Optional;
import java.util.stream.Stream;

/** What finds that a run went wrong. None of them knows of any single fault. */
enum Oracle {
  /** What holds after every step, whatever happens. */
  INVARIANTS("invariants"),
  /** What is promised to those whose Pods run on a Node that is to go. */
  TERMINATION_PATH("termination path"),
  /** How many requests there may be, and how soon one may be repeated. */
  REQUEST_LEDGER("request ledger"),
  /** That the run comes to rest. */
  REST("rest"),
  /** Where the undisturbed run ends, and how many objects it creates and deletes. */
  OUTCOME("outcome"),
  /** Which Events the undisturbed run emits. */
  EVENTS("Events"),
  /** That an Event is written once. */
  REPEATED_EVENTS("repeated Events"),
  /** That nothing is kept of what is gone, and nothing is under way at rest. */
  LEFTOVERS("left over"),
  /** That a cluster at rest is what its pools say of it. */
  STEADY("steady"),
  /** That an operator which starts at rest writes nothing. */
  RESTART("restart at rest"),
  /** That what the scenario is about is there when its play comes to it. */
  PLAY("play");

  /** What it is called in docs/testing.md. */
  final String word;

  Oracle(String word) {
    this.word = word;
  }

  /** Which one ended a run. */
  static Oracle of(RuntimeException broken) {
    if (broken instanceof Invariants.InvariantBroken) {
      return stands(broken, TerminationPath.class, TERMINATION_PATH)
          .or(() -> stands(broken, RequestLedger.class, REQUEST_LEDGER))
          .orElse(INVARIANTS);
    }
    return broken instanceof IllegalStateException ? REST : PLAY;
  }

  private static Optional<Oracle> stands(RuntimeException broken, Class<?> where, Oracle oracle) {
    return Stream.of(broken.getStackTrace())
        .filter(frame -> frame.getClassName().equals(where.getName()))
        .map(frame -> oracle)
        .findFirst();
  }
}
