package io.nodepool.plan.node;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.PreemptionOutcome;
import io.nodepool.vocabulary.DisruptionCause;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;

/**
 * How a preemption shows on its Node (seed 004): the Event and the label of its drain, and the
 * Event and the outcome of its end. The announcement belongs to {@link DisruptionChange}.
 */
final class NodePreemption {
  /** The form of an instant that is legal as a label value (contract T16). */
  private static final DateTimeFormatter LABEL_TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final Node node;
  private final PoolId pool;
  private final DisruptionChange change;

  NodePreemption(Node node, PoolId pool) {
    this.node = node;
    this.pool = pool;
    this.change = new DisruptionChange(node, pool);
  }

  /** The instant as the value of a label. */
  static String labelText(Instant at) {
    return LABEL_TIME.format(at);
  }

  /** The Event that the preemption is in progress; empty without one, or if the Node shows it. */
  Optional<EventDraft> inProgress(Disruption.Active active) {
    return cause(active)
        .filter(_ -> !showsProgress())
        .map(cause ->
            change.eventDraft(
                EventReason.PREEMPTION_IN_PROGRESS,
                DisruptionChange.occasion(cause),
                "Node %s of NodePool %s is being preempted: its Pods are evicted."
                    .formatted(node.name(), pool.name())));
  }

  private boolean showsProgress() {
    return !node.metadata().label(NodeLabels.EVICTED_AT).isEmpty();
  }

  private static Optional<Disruption.Cause> cause(Disruption.Active active) {
    return active.causes().stream()
        .filter(cause -> cause.what() == DisruptionCause.PREEMPTION)
        .reduce((one, other) -> other);
  }

  /**
   * The deletion of the Node with the Event and the outcome of its preemption; unchanged if it
   * leaves for other causes, or if the notice was withdrawn before its drain was due.
   *
   * @param seen its machine, and the Pods that are still bound to it
   */
  PlannedAction end(PlannedAction deletion, MachineSnapshot seen, Instant now) {
    return node.disruption()
        .flatMap(Disruption::active)
        .filter(active ->
            showsProgress() || (isStopDue(active, now) && seen.host().preemption().isPresent()))
        .flatMap(NodePreemption::cause)
        .map(cause -> end(deletion, cause, seen.pods()))
        .orElse(deletion);
  }

  private static boolean isStopDue(Disruption.Active active, Instant now) {
    return active instanceof Disruption.Committed committed && committed.isStopDue(now);
  }

  private PlannedAction end(PlannedAction deletion, Disruption.Cause cause, List<Pod> pods) {
    int cutOff =
        (int)
            pods.stream()
                .filter(pod -> !NodeActivity.staysOnNode(pod) && !pod.execution().finished())
                .count();
    String rest = cutOff == 0 ? "" : " " + Messages.count(cutOff, "Pod") + " cut off.";
    EventDraft deleted =
        change.eventDraft(
            EventReason.DELETED_FOR_PREEMPTION,
            DisruptionChange.occasion(cause),
            "Node %s of NodePool %s is preempted and deleted.%s"
                .formatted(node.name(), pool.name(), rest));
    return deletion
        .after(List.of(deleted))
        .because("it is preempted and its machine is stopped." + rest)
        .with(new PreemptionOutcome(cutOff));
  }
}
