package io.nodepool.world;

import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldEvents;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The rules that hold once a run has come to rest, whatever happened in it. */
final class AtRest {
  /** The number of Events of one request: a failed request may be retried with all of them. */
  private static final int EVENTS_OF_A_REQUEST = 10;

  /**
   * The number of Events after a Host is gone: the next step of its Node, which has become another
   * one, and the assignment of another machine for the same request.
   */
  private static final int EVENTS_OF_A_HOST = 2;

  /**
   * The number of clients that undo changes one after the other, so late that the record of Events
   * has expired.
   */
  private static final int MEDDLERS = 3;

  /**
   * Situations after which a machine may be assigned once more for the same request, or a Node is
   * cordoned once more.
   */
  private static final Set<Situation> REASSIGNED =
      EnumSet.of(
          Situation.POWER_TRIP,
          Situation.UNCORDONED_BY_HAND,
          Situation.NODE_RECORD_LOST,
          Situation.PREEMPTED,
          Situation.PREEMPTED_WHILE_ADMITTED,
          Situation.PREEMPTED_WHILE_DRAINING,
          Situation.PREEMPTED_WHILE_REBOOTING,
          Situation.PREEMPTED_WHILE_BOOTING);

  /** Reasons of Events about failures, which may be emitted again after they have expired. */
  private static final List<String> OF_FAULTS =
      List.of(
          EventReason.NODE_POOL_NODES_REQUEST_FAILED.word(),
          EventReason.OLDEST_REQUEST_FAILED.word(),
          EventReason.NODE_POOL_NODES_REMOVE_ERROR.word(),
          EventReason.OLDEST_NODES_REMOVE_ERROR.word(),
          EventReason.NODE_POOL_NODES_REBOOT_ERROR.word(),
          EventReason.NODE_REGISTRATION_FAILED.word(),
          EventReason.OLDEST_REGISTRATION_FAILED.word());

  /** Reasons of Events that follow their write, which another operator emits again for minutes. */
  private static final List<String> OF_WRITES =
      List.of(
          EventReason.NODE_REGISTERED.word(),
          EventReason.OLDEST_NODE_REGISTERED.word(),
          EventReason.CONFIG_STAGED.word());

  private AtRest() {}

  /** Returns the first violation, if there is one. */
  static Optional<String> complaint(Drill drill) {
    return verdict(drill).map(Verdict::text);
  }

  /** Returns the first violation with the oracle that found it. */
  static Optional<Verdict> verdict(Drill drill) {
    return by(Oracle.REPEATED_EVENTS, eventsAreRepeated(drill))
        .or(() -> by(Oracle.REQUEST_LEDGER, requestsAreRepeated(drill)))
        .or(() -> by(Oracle.LEFTOVERS, leftovers(drill)))
        .or(() -> by(Oracle.STEADY, Steady.complaint(drill.world.cluster())))
        .or(() -> by(Oracle.RESTART, restartWrites(drill)));
  }

  private static Optional<Verdict> by(Oracle oracle, Optional<String> complaint) {
    return complaint.map(text -> new Verdict(oracle, text));
  }

  /** Returns the first request that was repeated too often. */
  static Optional<String> repeats(Drill drill) {
    return drill.complaints().stream().findFirst();
  }

  private static Optional<String> eventsAreRepeated(Drill drill) {
    WorldEvents events = drill.world.cluster().eventLog();
    // A change that was undone long after it was made is announced once more.
    Map<Situation, Integer> situations = drill.world.situations().counts();
    boolean undone = situations.containsKey(Situation.CHANGE_UNDONE);
    // A machine that returns from an outage during its boot, or that replaces a preempted one, is
    // counted and reported once more, together with the other machines of its request.
    int allowed =
        EVENTS_OF_A_REQUEST * drill.world.repeatCauses()
            + (drill.world.operators().starts() - 1) * drill.world.cluster().hosts().size()
            + (undone ? MEDDLERS * drill.world.cluster().hosts().size() : 0)
            + EVENTS_OF_A_HOST * situations.getOrDefault(Situation.HOST_GONE, 0)
            + REASSIGNED.stream().mapToInt(each -> situations.getOrDefault(each, 0)).sum();
    if (events.repeats() > allowed) {
      return Optional.of(
          "attempts to write existing Events, after %d that may have been lost: %s"
              .formatted(drill.world.repeatCauses(), events.repeated()));
    }
    List<String> back =
        events.back().stream()
            .filter(name -> OF_FAULTS.stream().noneMatch(name::contains))
            .toList();
    return back.isEmpty()
        ? Optional.empty()
        : Optional.of("Events were written again after they had expired: " + back);
  }

  /** The ledger's rule applies only to runs without random failures of requests. */
  private static Optional<String> requestsAreRepeated(Drill drill) {
    boolean rough = drill.world.disturbances() >= drill.world.operators().starts();
    return rough || drill.complaints().isEmpty()
        ? Optional.empty()
        : Optional.of(drill.complaints().toString());
  }

  private static Optional<String> leftovers(Drill drill) {
    List<String> leftovers = Leftovers.of(drill.world);
    return leftovers.isEmpty() ? Optional.empty() : Optional.of("left over: " + leftovers);
  }

  /** An operator that starts at rest writes nothing and emits no Event but those of late writes. */
  private static Optional<String> restartWrites(Drill drill) {
    WorldCluster cluster = drill.world.cluster();
    var writes = cluster.appliedWrites().counts();
    List<String> repeated = repeated(cluster);
    var emitted = cluster.eventLog().ever();
    drill.world.operators().kill();
    drill.world.operators().start();
    drill.toRest();
    if (!cluster.appliedWrites().counts().equals(writes)) {
      return Optional.of(
          "a restart at rest wrote: before %s, after %s"
              .formatted(writes, cluster.appliedWrites().counts()));
    }
    return repeated(cluster).equals(repeated) && cluster.eventLog().ever().equals(emitted)
        ? Optional.empty()
        : Optional.of("a restart at rest emitted Events");
  }

  private static List<String> repeated(WorldCluster cluster) {
    return cluster.eventLog().repeated().stream()
        .filter(name -> OF_WRITES.stream().noneMatch(name::contains))
        .toList();
  }
}
