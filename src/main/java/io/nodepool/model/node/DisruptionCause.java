package io.nodepool.model.node;

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

  /**
   * What distinguishes this occurrence of the cause from others, as written in a Node's record: the
   * rank of a chosen candidate, the instant of a fleet's notice; may be empty text.
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

  /** The state that the Node goes through if it stays; empty if it leaves. */
  default Optional<LifecycleState> state() {
    return Optional.empty();
  }

  /** The configuration of the rollout in which the Node has its turn; empty without one. */
  default Optional<String> turn() {
    return Optional.empty();
  }
}
