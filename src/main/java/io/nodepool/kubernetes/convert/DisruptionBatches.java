package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orZero;

import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.occurrence.BatchState;
import io.nodepool.model.occurrence.Occurrence;
import io.nodepool.model.occurrence.Occurrences;
import io.nodepool.model.pool.RemovalBatch;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Converts the batches of disruptions in a NodePool's status to records and back. */
final class DisruptionBatches {
  private DisruptionBatches() {}

  /**
   * The batches that a status has. An earlier version published that of the removals with them
   * only.
   */
  static Map<CountsAs, BatchState> read(
      NodePoolStatus.@Nullable RemovalStatus removal, NodePoolStatus.EventStateStatus state) {
    Map<CountsAs, BatchState> batches = new EnumMap<>(CountsAs.class);
    read(batches, CountsAs.REMOVAL, state.removals);
    read(batches, CountsAs.PREEMPTION, state.preemptions);
    read(batches, CountsAs.REBOOT, state.reboots);
    if (state.removals == null && removal != null) {
      batches.put(CountsAs.REMOVAL, earlier(removal));
    }
    return batches;
  }

  private static void read(
      Map<CountsAs, BatchState> batches,
      CountsAs as,
      NodePoolStatus.@Nullable DisruptionsStatus object) {
    if (object == null) {
      return;
    }
    Map<Occurrence, Integer> counts = new EnumMap<>(Occurrence.class);
    counts.put(Occurrence.CHOSEN, orZero(object.chosen));
    counts.put(Occurrence.CORDONED, orZero(object.cordoned));
    counts.put(Occurrence.CORDONED_AGAIN, orZero(object.cordonedAgain));
    counts.put(Occurrence.UNCORDONED, orZero(object.uncordoned));
    counts.put(Occurrence.RETURNED, orZero(object.returned));
    counts.put(Occurrence.DRAINED, orZero(object.drains));
    counts.put(Occurrence.BLOCKED, orZero(object.blocks));
    counts.put(Occurrence.FORCED, orZero(object.forcedDrains));
    counts.put(Occurrence.REMOVED, orZero(object.removed));
    batches.put(
        as,
        new BatchState(
            orZero(object.batch),
            orZero(object.underWay),
            new BatchState.Drains(
                orZero(object.begun), orZero(object.blocked), orZero(object.forced)),
            new Occurrences(counts),
            new TreeMap<>(object.causes == null ? Map.of() : object.causes)));
  }

  private static BatchState earlier(NodePoolStatus.RemovalStatus removal) {
    Map<Occurrence, Integer> counts = new EnumMap<>(Occurrence.class);
    counts.put(Occurrence.CHOSEN, orZero(removal.chosen));
    counts.put(Occurrence.CORDONED, orZero(removal.cordoned));
    counts.put(Occurrence.UNCORDONED, orZero(removal.uncordoned));
    counts.put(Occurrence.DRAINED, orZero(removal.drains));
    counts.put(Occurrence.BLOCKED, orZero(removal.blocks));
    counts.put(Occurrence.FORCED, orZero(removal.forcedDrains));
    counts.put(Occurrence.REMOVED, orZero(removal.removed));
    return new BatchState(
        orZero(removal.batch),
        orZero(removal.leaving),
        new BatchState.Drains(
            orZero(removal.draining), orZero(removal.blocked), orZero(removal.forced)),
        new Occurrences(counts),
        new TreeMap<>());
  }

  /** The object for this batch; null for none. */
  static NodePoolStatus.@Nullable DisruptionsStatus write(BatchState batch) {
    if (batch.equals(BatchState.NONE)) {
      return null;
    }
    Occurrences counts = batch.counts();
    NodePoolStatus.DisruptionsStatus object = new NodePoolStatus.DisruptionsStatus();
    object.batch = batch.number();
    object.underWay = batch.underWay();
    object.begun = orAbsent(batch.drains().begun());
    object.blocked = orAbsent(batch.drains().blocked());
    object.forced = orAbsent(batch.drains().forced());
    object.chosen = orAbsent(counts.of(Occurrence.CHOSEN));
    object.cordoned = orAbsent(counts.of(Occurrence.CORDONED));
    object.cordonedAgain = orAbsent(counts.of(Occurrence.CORDONED_AGAIN));
    object.uncordoned = orAbsent(counts.of(Occurrence.UNCORDONED));
    object.returned = orAbsent(counts.of(Occurrence.RETURNED));
    object.drains = orAbsent(counts.of(Occurrence.DRAINED));
    object.blocks = orAbsent(counts.of(Occurrence.BLOCKED));
    object.forcedDrains = orAbsent(counts.of(Occurrence.FORCED));
    object.removed = orAbsent(counts.of(Occurrence.REMOVED));
    object.causes = batch.causes().isEmpty() ? null : batch.causes();
    return object;
  }

  /** The object that shows the Nodes which the pool is removing. */
  static NodePoolStatus.RemovalStatus removal(RemovalBatch batch, Occurrences counts) {
    NodePoolStatus.RemovalStatus object = new NodePoolStatus.RemovalStatus();
    object.batch = batch.number();
    object.chosen = counts.of(Occurrence.CHOSEN);
    object.cordoned = counts.of(Occurrence.CORDONED);
    object.uncordoned = counts.of(Occurrence.UNCORDONED);
    object.drains = counts.of(Occurrence.DRAINED);
    object.blocks = counts.of(Occurrence.BLOCKED);
    object.forcedDrains = counts.of(Occurrence.FORCED);
    object.removed = counts.of(Occurrence.REMOVED);
    object.leaving = batch.terminating();
    object.draining = batch.draining();
    object.blocked = batch.blocked();
    object.forced = batch.forced();
    object.failing = batch.failing();
    return object;
  }

  /** This count; null if it is 0. */
  static @Nullable Integer orAbsent(int count) {
    return count == 0 ? null : count;
  }
}
