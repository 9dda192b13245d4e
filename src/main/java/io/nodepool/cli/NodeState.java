package io.nodepool.cli;

import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.vocabulary.NodeCondition;

/** What a Node of a pool is doing, as the count of Nodes shows it. */
enum NodeState {
  ACTIVE("active"),
  IDLE("idle"),
  REGISTERING("registering"),
  CORDONED("cordoned"),
  NOT_READY("not ready");

  private final String word;

  NodeState(String word) {
    this.word = word;
  }

  /** The word for people. */
  String word() {
    return word;
  }

  /** The state of a Node. */
  static NodeState of(Node node) {
    if (!isTrue(node, "Ready")) {
      return NOT_READY;
    }
    if (node.getSpec() != null && Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
      return CORDONED;
    }
    if (!isTrue(node, NodeCondition.REGISTERED.type())) {
      return REGISTERING;
    }
    return isTrue(node, NodeCondition.ACTIVE.type()) ? ACTIVE : IDLE;
  }

  private static boolean isTrue(Node node, String type) {
    return node.getStatus() != null
        && node.getStatus().getConditions().stream()
            .anyMatch(condition ->
                condition.getType().equals(type) && condition.getStatus().equals("True"));
  }
}
