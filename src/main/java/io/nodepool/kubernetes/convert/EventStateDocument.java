package io.nodepool.kubernetes.convert;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.occurrence.BatchState;
import io.nodepool.model.occurrence.Occurrence;
import io.nodepool.model.occurrence.Occurrences;
import io.nodepool.model.pool.EventState;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state that the Events of a pool depend on, as JSON in the working memory. Most counts of zero
 * are left out.
 */
@JsonInclude(Include.NON_DEFAULT)
@JsonIgnoreProperties(ignoreUnknown = true)
record EventStateDocument(
    @JsonInclude(Include.NON_NULL) @Nullable Integer reachedTarget,
    @JsonInclude(Include.NON_NULL) @Nullable Map<String, String> lastKnown,
    int registrations,
    int vanishedNodes,
    int taintings,
    int untaintings,
    int assignments,
    @Nullable Batch removals,
    @Nullable Batch preemptions,
    @Nullable Batch reboots,
    int failingReboots) {
  /** The fields of conditions whose reasons from before they became Unknown are kept. */
  private static final Map<PoolCondition, String> KNOWN =
      new EnumMap<>(
          Map.of(
              PoolCondition.VALIDATED, "validated",
              PoolCondition.CAPACITY, "capacity",
              PoolCondition.QUOTA, "quota"));

  /**
   * A batch of disruptions of one kind.
   *
   * @param underWay an earlier version published removals beside this document, with {@code
   *     leaving} for this number and {@code draining} for the next one
   * @param prepared absent if an earlier version wrote the document, which counted {@code removed}
   *     only
   */
  @JsonInclude(Include.NON_DEFAULT)
  @JsonIgnoreProperties(ignoreUnknown = true)
  record Batch(
      @JsonInclude int batch,
      int chosen,
      int cordoned,
      int uncordoned,
      int drains,
      int blocks,
      int forcedDrains,
      int removed,
      @JsonInclude @JsonAlias("leaving") int underWay,
      @JsonAlias("draining") int begun,
      int blocked,
      int forced,
      int cordonedAgain,
      int returned,
      @JsonInclude @Nullable Integer prepared,
      @Nullable SortedMap<String, Integer> causes) {
    /** The document of a batch; null if there is no batch. */
    private static @Nullable Batch of(BatchState batch) {
      Occurrences counts = batch.counts();
      return batch.equals(BatchState.NONE)
          ? null
          : new Batch(
              batch.number(),
              counts.of(Occurrence.CHOSEN),
              counts.of(Occurrence.CORDONED),
              counts.of(Occurrence.UNCORDONED),
              counts.of(Occurrence.DRAINED),
              counts.of(Occurrence.BLOCKED),
              counts.of(Occurrence.FORCED),
              counts.of(Occurrence.REMOVED),
              batch.underWay(),
              batch.drains().begun(),
              batch.drains().blocked(),
              batch.drains().forced(),
              counts.of(Occurrence.CORDONED_AGAIN),
              counts.of(Occurrence.RETURNED),
              counts.of(Occurrence.PREPARED),
              batch.causes().isEmpty() ? null : batch.causes());
    }

    private BatchState state() {
      return new BatchState(
          batch,
          underWay,
          new BatchState.Drains(begun, blocked, forced),
          new Occurrences(
              Map.of(
                  Occurrence.CHOSEN, chosen,
                  Occurrence.CORDONED, cordoned,
                  Occurrence.CORDONED_AGAIN, cordonedAgain,
                  Occurrence.UNCORDONED, uncordoned,
                  Occurrence.DRAINED, drains,
                  Occurrence.BLOCKED, blocks,
                  Occurrence.FORCED, forcedDrains,
                  Occurrence.RETURNED, returned,
                  Occurrence.PREPARED, prepared == null ? removed : prepared,
                  Occurrence.REMOVED, removed)),
          causes == null ? new TreeMap<>() : causes);
    }
  }

  /** The document of this state. */
  static EventStateDocument of(EventState state) {
    Occurrences counts = state.occurrences();
    return new EventStateDocument(
        state.reachedTarget().isPresent() ? state.reachedTarget().getAsInt() : null,
        state.lastKnown().isEmpty() ? null : words(state.lastKnown()),
        counts.of(Occurrence.REGISTERED),
        counts.of(Occurrence.VANISHED),
        counts.of(Occurrence.TAINTED),
        counts.of(Occurrence.UNTAINTED),
        counts.of(Occurrence.ASSIGNED),
        Batch.of(state.batch(CountsAs.REMOVAL)),
        Batch.of(state.batch(CountsAs.PREEMPTION)),
        Batch.of(state.batch(CountsAs.REBOOT)),
        state.failingReboots());
  }

  /**
   * The state that this document describes.
   *
   * @param earlier the removals as an earlier version published them; used if this document has
   *     none
   */
  EventState state(@Nullable Batch earlier) {
    Map<CountsAs, BatchState> batches = new EnumMap<>(CountsAs.class);
    put(batches, CountsAs.REMOVAL, removals == null ? earlier : removals);
    put(batches, CountsAs.PREEMPTION, preemptions);
    put(batches, CountsAs.REBOOT, reboots);
    return new EventState(
        reachedTarget == null ? OptionalInt.empty() : OptionalInt.of(reachedTarget),
        lastKnown == null ? Map.of() : reasons(lastKnown),
        new Occurrences(
            Map.of(
                Occurrence.ASSIGNED, assignments,
                Occurrence.REGISTERED, registrations,
                Occurrence.VANISHED, vanishedNodes,
                Occurrence.TAINTED, taintings,
                Occurrence.UNTAINTED, untaintings)),
        batches,
        failingReboots);
  }

  private static void put(Map<CountsAs, BatchState> batches, CountsAs as, @Nullable Batch batch) {
    if (batch != null) {
      batches.put(as, batch.state());
    }
  }

  private static Map<String, String> words(Map<PoolCondition, PoolReason> known) {
    Map<String, String> words = new LinkedHashMap<>();
    KNOWN.forEach((type, field) -> {
      if (known.containsKey(type)) {
        words.put(field, known.get(type).word());
      }
    });
    return words;
  }

  private static Map<PoolCondition, PoolReason> reasons(Map<String, String> words) {
    Map<PoolCondition, PoolReason> known = new EnumMap<>(PoolCondition.class);
    KNOWN.forEach((type, field) ->
        type.reason(ObjectFacts.orEmpty(words.get(field)))
            .ifPresent(reason -> known.put(type, reason)));
    return known;
  }
}
