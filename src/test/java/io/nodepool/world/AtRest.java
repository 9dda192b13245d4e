package io.nodepool.world;

import java.util.List;
import java.util.Optional;

/** What must be so once a run has come to rest, whatever happened in it. */
final class AtRest {
  /** A disturbed request is tried again with the Events that announce it. */
  private static final int EVENTS_OF_A_REQUEST = 10;

  private AtRest() {}

  /** What is wrong with the world, if anything is. */
  static Optional<String> complaint(Drill drill) {
    return eventsAreRepeated(drill)
        .or(() -> requestsAreRepeated(drill))
        .or(() -> leftovers(drill))
        .or(() -> Steady.complaint(drill.world.cluster()))
        .or(() -> restartWrites(drill));
  }

  /**
   * The first request that was repeated unchanged although the waits between did not grow. Lists of
   * Pods are, while a watch of Pods lags: a known fault, which {@link AheadTest} is about.
   */
  private static Optional<String> requestsAreRepeated(Drill drill) {
    return drill.world.complaints().stream()
        .filter(complaint -> !complaint.startsWith("ListPods"))
        .findFirst();
  }

  private static Optional<String> eventsAreRepeated(Drill drill) {
    WorldEvents events = drill.world.cluster().eventLog();
    int allowed = EVENTS_OF_A_REQUEST * drill.world.disturbances();
    if (events.repeats() > allowed) {
      return Optional.of(
          "%d attempts to write an Event that stood there, after %d disturbances"
              .formatted(events.repeats(), drill.world.disturbances()));
    }
    return events.back().isEmpty()
        ? Optional.empty()
        : Optional.of("Events came back after they had expired: " + events.back());
  }

  private static Optional<String> leftovers(Drill drill) {
    List<String> leftovers = drill.world.leftovers();
    return leftovers.isEmpty() ? Optional.empty() : Optional.of("left over: " + leftovers);
  }

  /** An operator that starts when all is well writes nothing, and no Event either. */
  private static Optional<String> restartWrites(Drill drill) {
    WorldCluster cluster = drill.world.cluster();
    var writes = cluster.tally().counts();
    int repeats = cluster.eventLog().repeats();
    var told = cluster.eventLog().ever();
    drill.world.killOperator();
    drill.world.startOperator();
    drill.settle();
    if (!cluster.tally().counts().equals(writes)) {
      return Optional.of(
          "a restart at rest wrote: before %s, after %s"
              .formatted(writes, cluster.tally().counts()));
    }
    return cluster.eventLog().repeats() > repeats || !cluster.eventLog().ever().equals(told)
        ? Optional.of("a restart at rest emitted Events")
        : Optional.empty();
  }
}
