package io.nodepool.world;

import io.nodepool.world.check.ConsentPath;
import io.nodepool.world.check.Invariants;
import io.nodepool.world.check.Liveness;
import io.nodepool.world.check.TerminationPath;
import io.nodepool.world.check.cost.RequestLedger;
import io.nodepool.world.check.truth.TruthOracle;
import java.util.Optional;
import java.util.stream.Stream;

/** The checks that find a failed run. None of them is specific to a single fault. */
enum Oracle {
  /** The rules that hold after every step. */
  INVARIANTS("invariants"),
  /** The promises for Pods on Nodes in removal. */
  TERMINATION_PATH("termination path"),
  /** That work is interrupted only with consent. */
  CONSENT("consent"),
  /** That what is said is so, and that what happens is said. */
  TRUTH("truth"),
  /** The number of requests, and how soon one may be repeated. */
  REQUEST_LEDGER("request ledger"),
  /** That everything that is under way has a next step, or publishes what it waits for. */
  LIVENESS("liveness"),
  /** That the run comes to rest. */
  REST("rest"),
  /** The end of the undisturbed run, and the numbers of objects that it creates and deletes. */
  OUTCOME("outcome"),
  /** The Events of the undisturbed run. */
  EVENTS("Events"),
  /** That an Event is written once. */
  REPEATED_EVENTS("repeated Events"),
  /** That nothing is held of deleted objects, and nothing is under way at rest. */
  LEFTOVERS("left over"),
  /** That a cluster at rest matches the status of its pools. */
  STEADY("steady"),
  /** That an operator which starts at rest writes nothing. */
  RESTART("restart at rest"),
  /** What monitors that lie may cost at most, and what is verified first. */
  LIARS("liars"),
  /** That the objects exist that a scenario's actions need. */
  PLAY("play");

  /** Its name in docs/testing.md. */
  final String word;

  Oracle(String word) {
    this.word = word;
  }

  /** Returns the oracle whose exception ended a run. */
  static Oracle of(RuntimeException broken) {
    if (broken instanceof Invariants.InvariantBroken) {
      return thrownIn(broken, ConsentPath.class, CONSENT)
          .or(() -> thrownIn(broken, TerminationPath.class, TERMINATION_PATH))
          .or(() -> thrownIn(broken, RequestLedger.class, REQUEST_LEDGER))
          .or(() -> thrownIn(broken, Liveness.class, LIVENESS))
          .or(() -> thrownIn(broken, TruthOracle.class, TRUTH))
          .orElse(INVARIANTS);
    }
    return broken instanceof IllegalStateException ? REST : PLAY;
  }

  private static Optional<Oracle> thrownIn(RuntimeException broken, Class<?> where, Oracle oracle) {
    return Stream.of(broken.getStackTrace())
        .filter(frame -> frame.getClassName().equals(where.getName()))
        .map(frame -> oracle)
        .findFirst();
  }
}
