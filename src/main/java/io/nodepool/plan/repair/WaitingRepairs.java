package io.nodepool.plan.repair;

import io.nodepool.model.members.RepairPlace;
import io.nodepool.model.repair.RepairState;
import io.nodepool.plan.Finding;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** What waits for a limit: how many Nodes, the first names, and what holds the first of them. */
final class WaitingRepairs {
  private int count;
  private final Set<String> names = new LinkedHashSet<>();
  private String why = "";
  private Optional<Finding> held = Optional.empty();

  /**
   * Why Nodes wait.
   *
   * @param held the reason if they are held; empty if this is only the pace
   * @param text a sentence
   */
  record Why(Optional<RepairsHeldReason> held, String text) {
    /** They have their turn by and by. */
    static Why pace(String text) {
      return new Why(Optional.empty(), text);
    }

    /** Something has to change first. */
    static Why held(RepairsHeldReason reason, String text) {
      return new Why(Optional.of(reason), text);
    }
  }

  /** Adds Nodes, of which these are the first ones. */
  void add(int more, Stream<RepairPlace> first, Why reason) {
    addNamed(more, first.map(RepairPlace::name), reason);
  }

  /** Adds Nodes, of which the first ones have these names. */
  void addNamed(int more, Stream<String> first, Why reason) {
    if (more > 0) {
      count += more;
      why = why.isEmpty() ? reason.text() : why;
      held = held.or(() -> reason.held().map(each -> new Finding(each, reason.text())));
      first.limit(RepairState.NAMED).forEach(names::add);
    }
  }

  /** What holds the first Node that is held; empty if none is. */
  Optional<Finding> held() {
    return held;
  }

  /** This, on a state of repairs. */
  RepairState on(RepairState state) {
    return state
        .withWaiting(count)
        .withNames(names.stream().limit(RepairState.NAMED).toList())
        .withWhy(why);
  }
}
