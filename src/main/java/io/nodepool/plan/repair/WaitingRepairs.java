package io.nodepool.plan.repair;

import io.nodepool.fleet.Host;
import io.nodepool.model.members.Places;
import io.nodepool.model.node.Member;
import io.nodepool.model.repair.RepairState;
import io.nodepool.plan.Finding;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The Nodes that wait for a limit: their number, the first names, what holds the first Nodes, and
 * when that may change.
 */
final class WaitingRepairs {
  /** What holds Nodes that only wait for their turn. */
  private static final String PACE = "Pace";

  private final Instant now;
  private int count;

  /** How many Nodes wait, by the word of what holds them. */
  private final SortedMap<String, Integer> byReason = new TreeMap<>();

  /** What holds the first Nodes, in their order. */
  private final SequencedMap<String, String> byNode = new LinkedHashMap<>();

  private String why = "";
  private Optional<Finding> held = Optional.empty();
  private Optional<Instant> wakeup = Optional.empty();

  WaitingRepairs(Instant now) {
    this.now = now;
  }

  /**
   * Why Nodes wait.
   *
   * @param held the reason if they are held; empty if this is only the pace
   * @param text a sentence
   */
  record Why(Optional<RepairsHeldReason> held, String text) {
    /** They follow one after the other. */
    static Why pace(String text) {
      return new Why(Optional.empty(), text);
    }

    /** Something has to change first. */
    static Why held(RepairsHeldReason reason, String text) {
      return new Why(Optional.of(reason), text);
    }
  }

  /** The machine of this Node is held. */
  static Why ofMachine(Member member) {
    return Why.held(
        RepairsHeldReason.MACHINE_HELD,
        "Nothing begins on the machine of Node %s: %s."
            .formatted(
                member.host().id().name(),
                member.findings().hold().map(Host.Hold::text).orElse("it is held no more")));
  }

  /** Adds this number of Nodes; the first ones have these names. */
  void add(int more, Stream<String> first, Why reason) {
    if (more > 0) {
      count += more;
      byReason.merge(reason.held().map(RepairsHeldReason::word).orElse(PACE), more, Integer::sum);
      why = why.isEmpty() ? reason.text() : why;
      held = held.or(() -> reason.held().map(each -> new Finding(each, reason.text())));
      first.limit(RepairState.NAMED).forEach(name -> byNode.putIfAbsent(name, reason.text()));
    }
  }

  /** Adds one Node. */
  void add(Member member, Why reason) {
    add(1, Stream.of(member.host().id().name()), reason);
  }

  /** Adds all Nodes of some places, by alert. */
  <P extends Comparable<P>> void addAll(Places<P> places, Function<P, String> name, Why reason) {
    add(places.count(), places.first(_ -> false, RepairState.NAMED).map(name), reason);
  }

  /** The plan wakes then. */
  void wakesAt(Instant at) {
    wakeup = wakeup.filter(at::isAfter).or(() -> Optional.of(at));
  }

  /** Whether this instant has come; if not, the plan wakes then. */
  boolean isDue(Instant at) {
    if (at.isAfter(now)) {
      wakesAt(at);
    }
    return !at.isAfter(now);
  }

  /** When the first repair may begin. */
  Optional<Instant> wakeup() {
    return wakeup;
  }

  /** What holds the first Node that is held; empty if none is. */
  Optional<Finding> held() {
    return held;
  }

  /** How many Nodes wait, by the word of what holds them. */
  Map<String, Integer> byReason() {
    return byReason;
  }

  /** What holds the first Nodes that wait, by their names. */
  Map<String, String> byNode() {
    return byNode;
  }

  /** This state of repairs, with the Nodes that wait. */
  RepairState on(RepairState state) {
    return state
        .withWaiting(count)
        .withNames(byNode.keySet().stream().limit(RepairState.NAMED).toList())
        .withWhy(why);
  }
}
