package io.nodepool.model.node;

import io.nodepool.vocabulary.RemovalCause;
import java.time.Instant;

/**
 * The stage of a Node's removal from its pool. It is recorded on the Node, so that the operator may
 * die between any two steps.
 */
public sealed interface Removal {
  /** When the stage was entered. */
  Instant at();

  /** Whether the Node is being removed: marked, or draining. */
  default boolean isTerminating() {
    return switch (this) {
      case Requested _, PassedOver _ -> false;
      case Marked _, Draining _ -> true;
    };
  }

  /** A stage that may be withdrawn. */
  sealed interface Revocable extends Removal permits Requested, Marked {}

  /** A client requested the removal, and the request is recorded; the removal has not started. */
  record Requested(Instant at) implements Revocable {}

  /**
   * The Node is chosen and cordoned; this may be withdrawn.
   *
   * @param ownCordon whether the cordon was set with the mark; otherwise it belongs to another
   *     client and stays when the mark is withdrawn
   */
  record Marked(RemovalCause cause, Instant at, boolean ownCordon) implements Revocable {}

  /**
   * The Node was chosen, and the mark was withdrawn. If it got tenant work or another client
   * uncordoned it, it is not chosen again for some time, so that the same conflict is not repeated
   * at once (decision D69). The record stays on the Node to distinguish its next mark from the last
   * one.
   *
   * @param until when the Node may be chosen again
   * @param requested whether a client's removal request was recorded before
   */
  record PassedOver(Instant at, Instant until, boolean requested) implements Removal {
    /** Whether the Node may be chosen again. */
    public boolean isOver(Instant now) {
      return !now.isBefore(until);
    }
  }

  /**
   * The Node was found fit for removal and is drained; this is not withdrawn.
   *
   * @param forceAt when the remaining Pods are deleted regardless of PodDisruptionBudgets
   */
  record Draining(RemovalCause cause, Instant at, Instant forceAt) implements Removal {}
}
