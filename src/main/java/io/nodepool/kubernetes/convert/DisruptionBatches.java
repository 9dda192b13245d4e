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
import java.util.function.IntFunction;
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
    batches.put(
        as,
        new BatchState(
            orZero(object.batch),
            orZero(object.underWay),
            new BatchState.Drains(
                orZero(object.begun), orZero(object.blocked), orZero(object.forced)),
            counts(object)
                .plus(Occurrence.CORDONED_AGAIN, orZero(object.cordonedAgain))
                .plus(Occurrence.RETURNED, orZero(object.returned))
                // An earlier version did not publish it.
                .plus(
                    Occurrence.PREPARED,
                    orZero(object.prepared == null ? object.removed : object.prepared)),
            new TreeMap<>(object.causes == null ? Map.of() : object.causes)));
  }

  private static BatchState earlier(NodePoolStatus.RemovalStatus removal) {
    return new BatchState(
        orZero(removal.batch),
        orZero(removal.leaving),
        new BatchState.Drains(
            orZero(removal.draining), orZero(removal.blocked), orZero(removal.forced)),
        counts(removal).plus(Occurrence.PREPARED, orZero(removal.removed)),
        new TreeMap<>());
  }

  private static Occurrences counts(NodePoolStatus.BatchStatus object) {
    return new Occurrences(
        Map.of(
            Occurrence.CHOSEN, orZero(object.chosen),
            Occurrence.CORDONED, orZero(object.cordoned),
            Occurrence.UNCORDONED, orZero(object.uncordoned),
            Occurrence.DRAINED, orZero(object.drains),
            Occurrence.BLOCKED, orZero(object.blocks),
            Occurrence.FORCED, orZero(object.forcedDrains),
            Occurrence.REMOVED, orZero(object.removed)));
  }

  private static void write(
      NodePoolStatus.BatchStatus object,
      int batch,
      Occurrences counts,
      IntFunction<@Nullable Integer> written) {
    object.batch = batch;
    object.chosen = written.apply(counts.of(Occurrence.CHOSEN));
    object.cordoned = written.apply(counts.of(Occurrence.CORDONED));
    object.uncordoned = written.apply(counts.of(Occurrence.UNCORDONED));
    object.drains = written.apply(counts.of(Occurrence.DRAINED));
    object.blocks = written.apply(counts.of(Occurrence.BLOCKED));
    object.forcedDrains = written.apply(counts.of(Occurrence.FORCED));
    object.removed = written.apply(counts.of(Occurrence.REMOVED));
  }

  /** The object for this batch; null for none. */
  static NodePoolStatus.@Nullable DisruptionsStatus write(BatchState batch) {
    if (batch.equals(BatchState.NONE)) {
      return null;
    }
    NodePoolStatus.DisruptionsStatus object = new NodePoolStatus.DisruptionsStatus();
    write(object, batch.number(), batch.counts(), DisruptionBatches::orAbsent);
    object.underWay = batch.underWay();
    object.begun = orAbsent(batch.drains().begun());
    object.blocked = orAbsent(batch.drains().blocked());
    object.forced = orAbsent(batch.drains().forced());
    object.cordonedAgain = orAbsent(batch.counts().of(Occurrence.CORDONED_AGAIN));
    object.returned = orAbsent(batch.counts().of(Occurrence.RETURNED));
    object.prepared = batch.counts().of(Occurrence.PREPARED);
    object.causes = batch.causes().isEmpty() ? null : batch.causes();
    return object;
  }

  /** The object that shows the Nodes which the pool is removing. */
  static NodePoolStatus.RemovalStatus removal(RemovalBatch batch, Occurrences counts) {
    NodePoolStatus.RemovalStatus object = new NodePoolStatus.RemovalStatus();
    write(object, batch.number(), counts, Integer::valueOf);
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
