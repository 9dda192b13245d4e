package io.nodepool.plan.node;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A client's request that a Node goes first when the target falls: a label, or the taint of the
 * Cluster Autoscaler (contract §7). It is recorded on the Node, so that its Event is emitted once.
 */
final class RemovalRequest {
  private RemovalRequest() {}

  /** Whether a client requests the removal of the Node. */
  static boolean isMade(Node node) {
    return node.isRemovalRequested() || node.autoscalerTaint().isPresent();
  }

  /** Drops the record of a request that was withdrawn, once the Node is not passed over. */
  static Optional<PlannedAction> drop(Node node, PoolId pool, Instant now) {
    return node.disruption()
        .filter(last -> last.isRequested() && !isMade(node) && node.passedOverUntil(now).isEmpty())
        .map(last ->
            PlannedAction.quiet(
                new NodeRecord(node, pool).note(NodePurpose.WITHDRAW, without(last)),
                "its removal is no longer requested"));
  }

  private static Optional<Disruption> without(Disruption last) {
    return switch (last) {
      case Disruption.PassedOver passed -> Optional.of(passed.withRequested(false));
      case Disruption.Requested requested when requested.sequence() > 0 ->
          Optional.of(
              new Disruption.PassedOver(
                  requested.sequence(), requested.at(), requested.at(), false));
      case Disruption.Requested _, Disruption.Admitted _, Disruption.Committed _ ->
          Optional.empty();
    };
  }

  /** Records on the Node that a client requested its removal, so that the Event is emitted once. */
  static Optional<PlannedAction> record(Node node, PoolId pool, Instant now) {
    if (node.disruption().filter(last -> isRecorded(last, now)).isPresent()) {
      return Optional.empty();
    }
    return node.isRemovalRequested()
        ? Optional.of(recorded(node, pool, now, "A client", node.identity().createdAt().toString()))
        : node.autoscalerTaint()
            .map(id -> recorded(node, pool, now, "The Cluster Autoscaler", "taint " + id));
  }

  /**
   * Whether the request is already recorded. No request is recorded while the Node is passed over.
   */
  private static boolean isRecorded(Disruption last, Instant now) {
    return !(last instanceof Disruption.PassedOver passed)
        || passed.requested()
        || !passed.isOver(now);
  }

  /**
   * @param id what distinguishes this request from other requests for the same Node
   */
  private static PlannedAction recorded(
      Node node, PoolId pool, Instant now, String who, String id) {
    EventDraft eventDraft =
        new EventDraft(
            EventReason.NODE_DELETION_REQUEST_SUCCESS,
            EventDraft.Regarding.of(pool),
            node.uid() + "/" + id,
            "%s asked for the removal of Node %s; it goes first when the target falls."
                .formatted(who, node.name()));
    int sequence = node.disruption().map(Disruption::sequence).orElse(0);
    return new PlannedAction(
        List.of(eventDraft),
        new NodeRecord(node, pool)
            .note(NodePurpose.NOTE, Optional.of(new Disruption.Requested(sequence, now))),
        "its removal was requested");
  }
}
