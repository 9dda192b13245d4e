package io.nodepool.vocabulary.condition;

import io.nodepool.vocabulary.DefinedWord;

/**
 * The reasons of the condition CWNodeRemoval while it is True: the stage of the removal. Specific
 * to this operator.
 */
public enum NodeRemovalReason implements DefinedWord {
  MARKED("The Node is chosen and cordoned; this may still be withdrawn."),
  TERMINATING("Nothing more is evicted; the machine is stopped, or is stopped next."),
  DRAINING("The Node's Pods are being evicted."),
  BLOCKED_BY_BUDGET(
      "PodDisruptionBudgets do not allow the next eviction; it is retried until the deadline."),
  DETACHING("No Pod is left; volumes are still attached to the Node."),
  VERIFYING(
      "No Pod is left; an alert about the machine is held, and it is verified before another pool may get it."),
  PRESERVED(
      "The Node is drained, and its machine is kept for inspection for a while; its pool does not count it any more."),
  AWAITING_FINALIZERS(
      "The deletion of the Node was accepted; finalizers of other clients keep the object."),
  FORCED(
      "The deadline has passed; the remaining Pods are deleted regardless of PodDisruptionBudgets.");

  private final String meaning;

  NodeRemovalReason(String meaning) {
    this.meaning = meaning;
  }

  @Override
  public String meaning() {
    return meaning;
  }
}
