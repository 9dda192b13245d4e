package io.nodepool.vocabulary.condition;

import java.util.Optional;
import java.util.stream.Stream;

/** The reasons of the condition CWNodeRemoval while it is True: what the removal is at. Ours. */
public enum NodeRemovalReason {
  MARKED("Marked", "The Node is chosen and cordoned; this may still be withdrawn."),
  TERMINATING("Terminating", "Nothing is left to be evicted; the machine is stopped next."),
  DRAINING("Draining", "The Node's Pods are being evicted."),
  BLOCKED_BY_BUDGET(
      "BlockedByBudget",
      "PodDisruptionBudgets do not allow the next eviction; it is tried again until the deadline."),
  DETACHING("Detaching", "All Pods are gone; volumes are still attached to the Node."),
  AWAITING_FINALIZERS(
      "AwaitingFinalizers",
      "The deletion of the Node was accepted; finalizers of other clients keep the object."),
  FORCED("Forced", "The deadline has passed; what is left is deleted without asking budgets.");

  private final String word;
  private final String meaning;

  NodeRemovalReason(String word, String meaning) {
    this.word = word;
    this.meaning = meaning;
  }

  /** The reason on the wire. */
  public String word() {
    return word;
  }

  /** What the removal is at. */
  public String meaning() {
    return meaning;
  }

  /** The reason with this word. */
  public static Optional<NodeRemovalReason> of(String word) {
    return Stream.of(values()).filter(reason -> reason.word.equals(word)).findFirst();
  }
}
