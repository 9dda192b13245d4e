package io.nodepool.model;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.RegistrationReason;
import java.time.Instant;
import java.util.Optional;

/** Statuses of Nodes with other conditions. */
public final class NodeConditions {
  private NodeConditions() {}

  /** With CWRegistered True, or without it. */
  public static NodeStatus registered(NodeStatus status, boolean registered) {
    return status.with(
        NodeCondition.REGISTERED,
        registered
            ? Optional.of(entry(true, RegistrationReason.REGISTERED.word(), ""))
            : Optional.empty());
  }

  /** With CWRegistered False for this reason. */
  public static NodeStatus notRegistered(NodeStatus status, RegistrationReason reason) {
    return status.with(NodeCondition.REGISTERED, Optional.of(entry(false, reason.word(), "")));
  }

  /** With CWActive, or without it. */
  public static NodeStatus activity(NodeStatus status, Optional<Node.Activity> activity) {
    return status.with(
        NodeCondition.ACTIVE,
        activity.map(
            each -> entry(each.active(), each.active() ? "Active" : "Idle", each.message())));
  }

  /** With CWNodeRemoval True, or without it. */
  public static NodeStatus removing(NodeStatus status, Optional<Node.Removing> removing) {
    return status.with(
        NodeCondition.NODE_REMOVAL,
        removing.map(each -> entry(true, each.reason().word(), each.message())));
  }

  private static NodeStatus.Entry entry(boolean status, String reason, String message) {
    return new NodeStatus.Entry(status, reason, message, Instant.EPOCH, 1);
  }
}
