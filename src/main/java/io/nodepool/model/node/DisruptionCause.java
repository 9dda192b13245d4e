package io.nodepool.model.node;

import io.nodepool.health.catalogue.Grade;
import io.nodepool.vocabulary.LifecycleState;
import java.util.Optional;

/**
 * Why a Node is disrupted; several causes may disrupt a Node at once. The causes, one file each,
 * are in {@code plan.disruption.cause}.
 */
public interface DisruptionCause {
  /** The constants of the cause. */
  CauseRule rule();

  /** The place of the cause among all causes, in records and in texts. */
  int order();

  /** The cause as written in a Node's record. */
  String word();

  /** The token of this cause in the reason of the operator's cordon; commas join several tokens. */
  default String cordonReason() {
    return word();
  }

  /**
   * The text in a Node's record that distinguishes this occurrence of the cause from others: the
   * rank of a chosen candidate, the instant of a fleet's notice; may be empty.
   */
  String reference();

  /** The cause in a sentence: {@code "Node g1 leaves: " + text()}. */
  String text();

  /** Whether a Node with this cause leaves its pool. */
  default boolean leaves() {
    return rule().leaves();
  }

  /** Whether a client asked that this very Node leave. */
  default boolean isRemovalRequest() {
    return false;
  }

  /**
   * A repair of a machine.
   *
   * @param alert the alert for which it is repaired
   * @param overridesEviction whether the repair ends work even where the pool protects it
   */
  record Repaired(String alert, Grade grade, boolean overridesEviction) {
    /** Whether this repair ends work even where the pool protects it (decision D29). */
    public boolean endsProtectedWork() {
      return grade.isNow() && overridesEviction;
    }
  }

  /** The repair of the machine, if this cause is one; empty otherwise. */
  default Optional<Repaired> repaired() {
    return Optional.empty();
  }

  /** Whether the machine is verified because its alert is suspected. */
  default boolean isAlertVerification() {
    return false;
  }

  /** Whether the cause is that the machine no longer runs. */
  default boolean isOutage() {
    return false;
  }

  /** Whether the cause is a repair of the machine because of an alert. */
  default boolean isRepair() {
    return repaired().isPresent();
  }

  /** The state that the Node goes through if it stays; empty if it leaves. */
  default Optional<LifecycleState> state() {
    return Optional.empty();
  }

  /** The configuration of the rollout in which the Node has its turn; empty if there is none. */
  default Optional<String> turn() {
    return Optional.empty();
  }
}
