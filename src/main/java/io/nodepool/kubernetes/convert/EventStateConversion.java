package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;
import static io.nodepool.kubernetes.convert.ObjectFacts.orZero;
import static io.nodepool.kubernetes.convert.ObjectFacts.readableTime;

import io.nodepool.kubernetes.api.FailedRebootsStatus;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.occurrence.Occurrence;
import io.nodepool.model.occurrence.Occurrences;
import io.nodepool.model.pool.EventState;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RemovalBatch;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** Converts the part of a NodePool's status that its Events depend on, to records and back. */
final class EventStateConversion {
  private EventStateConversion() {}

  /** The current batch of removals. */
  static RemovalBatch batch(NodePoolStatus.@Nullable RemovalStatus removal) {
    return removal == null
        ? RemovalBatch.NONE
        : new RemovalBatch(
            orZero(removal.batch),
            orZero(removal.leaving),
            orZero(removal.draining),
            orZero(removal.blocked),
            orZero(removal.forced),
            orZero(removal.failing));
  }

  /** The rest of the state that Events depend on. */
  static EventState state(NodePoolStatus status) {
    NodePoolStatus.EventStateStatus object = WorkingMemory.eventState(status);
    return new EventState(
        object.reachedTarget == null ? OptionalInt.empty() : OptionalInt.of(object.reachedTarget),
        lastKnown(object.lastKnown),
        occurrences(object),
        DisruptionBatches.read(status.removal, object),
        orZero(object.failingReboots));
  }

  private static Map<PoolCondition, PoolReason> lastKnown(
      NodePoolStatus.@Nullable LastKnown object) {
    Map<PoolCondition, PoolReason> known = new EnumMap<>(PoolCondition.class);
    if (object != null) {
      remember(known, PoolCondition.VALIDATED, orEmpty(object.validated));
      remember(known, PoolCondition.CAPACITY, orEmpty(object.capacity));
      remember(known, PoolCondition.QUOTA, orEmpty(object.quota));
    }
    return known;
  }

  private static void remember(
      Map<PoolCondition, PoolReason> known, PoolCondition type, String word) {
    type.reason(word).ifPresent(reason -> known.put(type, reason));
  }

  private static Occurrences occurrences(NodePoolStatus.EventStateStatus state) {
    return new Occurrences(
        Map.of(
            Occurrence.ASSIGNED, orZero(state.assignments),
            Occurrence.REGISTERED, orZero(state.registrations),
            Occurrence.VANISHED, orZero(state.vanishedNodes),
            Occurrence.TAINTED, orZero(state.taintings),
            Occurrence.UNTAINTED, orZero(state.untaintings)));
  }

  /** Writes both into a status to be published. */
  static void write(PoolStatus status, NodePoolStatus object) {
    object.failedReboots = written(status.failedReboots());
    object.repairs = RepairsConversion.written(status.repairs());
    EventState state = status.events();
    if (!status.removal().equals(RemovalBatch.NONE)) {
      object.removal =
          DisruptionBatches.removal(status.removal(), state.batch(CountsAs.REMOVAL).counts());
    }
    if (state.equals(EventState.NONE)) {
      return;
    }
    NodePoolStatus.EventStateStatus written = new NodePoolStatus.EventStateStatus();
    state.reachedTarget().ifPresent(target -> written.reachedTarget = target);
    if (!state.lastKnown().isEmpty()) {
      written.lastKnown = lastKnown(state.lastKnown());
    }
    Occurrences counts = state.occurrences();
    written.assignments = DisruptionBatches.orAbsent(counts.of(Occurrence.ASSIGNED));
    written.registrations = DisruptionBatches.orAbsent(counts.of(Occurrence.REGISTERED));
    written.vanishedNodes = DisruptionBatches.orAbsent(counts.of(Occurrence.VANISHED));
    written.taintings = DisruptionBatches.orAbsent(counts.of(Occurrence.TAINTED));
    written.untaintings = DisruptionBatches.orAbsent(counts.of(Occurrence.UNTAINTED));
    written.removals = DisruptionBatches.write(state.batch(CountsAs.REMOVAL));
    written.preemptions = DisruptionBatches.write(state.batch(CountsAs.PREEMPTION));
    written.reboots = DisruptionBatches.write(state.batch(CountsAs.REBOOT));
    written.failingReboots = DisruptionBatches.orAbsent(state.failingReboots());
    object.eventState = written;
  }

  /** An instant that cannot be read counts as absent: the operator owns it. */
  static FailedReboots failedReboots(@Nullable FailedRebootsStatus object) {
    return object == null
        ? FailedReboots.NONE
        : new FailedReboots(
            orZero(object.waiting),
            object.nodes,
            orEmpty(object.message),
            Optional.ofNullable(object.admitted).map(EventStateConversion::admitted),
            object.row.stream().flatMap(at -> readableTime(at).stream()).toList(),
            readableTime(object.heldSince));
  }

  private static FailedReboots.Admitted admitted(FailedRebootsStatus.AdmittedStatus object) {
    return new FailedReboots.Admitted(
        orEmpty(object.node), orEmpty(object.hostUid), orEmpty(object.reboot));
  }

  private static @Nullable FailedRebootsStatus written(FailedReboots failed) {
    if (failed.equals(FailedReboots.NONE)) {
      return null;
    }
    FailedRebootsStatus object = new FailedRebootsStatus();
    object.waiting = failed.waiting();
    object.nodes = failed.names();
    object.message = failed.why().isEmpty() ? null : failed.why();
    object.heldSince = failed.hold().orElse(null);
    object.row = failed.row().stream().map(Instant::toString).toList();
    object.admitted = failed.admitted().map(EventStateConversion::written).orElse(null);
    return object;
  }

  private static FailedRebootsStatus.AdmittedStatus written(FailedReboots.Admitted admitted) {
    FailedRebootsStatus.AdmittedStatus object = new FailedRebootsStatus.AdmittedStatus();
    object.node = admitted.node();
    object.hostUid = admitted.hostUid();
    object.reboot = admitted.reboot();
    return object;
  }

  private static NodePoolStatus.LastKnown lastKnown(Map<PoolCondition, PoolReason> known) {
    NodePoolStatus.LastKnown object = new NodePoolStatus.LastKnown();
    object.validated = word(known, PoolCondition.VALIDATED);
    object.capacity = word(known, PoolCondition.CAPACITY);
    object.quota = word(known, PoolCondition.QUOTA);
    return object;
  }

  private static @Nullable String word(Map<PoolCondition, PoolReason> known, PoolCondition type) {
    PoolReason reason = known.get(type);
    return reason == null ? null : reason.word();
  }
}
