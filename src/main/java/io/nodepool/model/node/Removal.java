package io.nodepool.model.node;

import io.nodepool.vocabulary.RemovalCause;
import java.time.Instant;

/**
 * Where a Node stands on its way out of its pool. It is recorded on the Node, so that any process
 * may die between any two steps.
 */
public sealed interface Removal {
  /** When the stage was entered. */
  Instant at();

  /** Whether the Node is on its way out: marked, or drained. */
  default boolean isTerminating() {
    return switch (this) {
      case Requested _, PassedOver _ -> false;
      case Marked _, Draining _ -> true;
    };
  }

  /** A stage that may be taken back. */
  sealed interface Revocable extends Removal permits Requested, Marked {}

  /** A client asked for it, and that was noticed; nothing is begun. */
  record Requested(Instant at) implements Revocable {}

  /**
   * It is chosen and cordoned; this may be taken back.
   *
   * @param ownCordon whether the cordon came with the mark; otherwise it is somebody else's and
   *     stays when the mark goes
   */
  record Marked(RemovalCause cause, Instant at, boolean ownCordon) implements Revocable {}

  /**
   * It was chosen and stayed. If that was because it got tenant work or somebody uncordoned it, it
   * is not chosen again for a while, so that whoever did that is not answered again and again
   * (decision D69). The record stays on the Node, so that its next mark is known to be another one.
   *
   * @param until when it may be chosen again
   * @param requested whether a client's wish that it goes was noticed before
   */
  record PassedOver(Instant at, Instant until, boolean requested) implements Removal {
    /** Whether it may be chosen again. */
    public boolean isOver(Instant now) {
      return !now.isBefore(until);
    }
  }

  /**
   * It was found fit to go; from here there is no way back.
   *
   * @param forceAt when Pods that are left are deleted without asking budgets
   */
  record Draining(RemovalCause cause, Instant at, Instant forceAt) implements Removal {}
}
