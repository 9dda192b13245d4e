package io.nodepool.plan.node;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionNotes;
import io.nodepool.model.node.Node;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlannedAction;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What becomes of the record of a Node's disruption, given what is recorded and what is demanded.
 * {@link NodeDisruption} decides it; what is written for it, and which Events precede that, is in
 * {@link NodeRecord}.
 */
sealed interface RecordChange {
  /** The record stays, and what it says goes on. */
  Keep KEEP = new Keep(Optional.empty());

  /** The record stays, at least until this instant, and what it says goes on. */
  record Keep(Optional<Instant> until) implements RecordChange {
    static Keep until(Instant due) {
      return new Keep(Optional.of(due).filter(Instant.MAX::isAfter));
    }
  }

  /** The record stays, and what it says waits until this instant. */
  record Pause(Instant until) implements RecordChange {}

  /** The record stays until this is done: a live read, or a report about the Node. */
  record First(PlannedAction action) implements RecordChange {}

  /** One that is written. */
  sealed interface Written extends RecordChange {}

  /** A disruption is admitted: the Node is cordoned unless it is already. */
  record Admit(Disruption.Admitted next) implements Written {}

  /** Causes join or withdraw, and others stay; the drain ends that only those demanded. */
  record Update(Disruption.Active last, Disruption.Active next, String why) implements Written {}

  /** The Node is cordoned again that another client uncordoned, for the causes that are left. */
  record CordonAgain(Disruption.Active last, Disruption.Active next) implements Written {}

  /** The disruption is committed to this drain; one that is committed to a reboot is raised. */
  record Commit(Disruption.Committed next, Drain drain, Optional<DrainProgress> progress)
      implements Written {}

  /** Causes join a Node that leaves already, and their instants tighten its drain. */
  record Tighten(Disruption.Committed last, Disruption.Committed next, Drain drain)
      implements Written {}

  /**
   * The drain has come farther than is recorded.
   *
   * @param shown whether the Node shows it in CWNodeRemoval, because it leaves
   */
  record Drained(Disruption.Committed last, Drain drain, boolean shown) implements Written {
    /** The disruption with that drain. */
    Disruption.Committed next() {
      return last.withDrain(drain.stage());
    }
  }

  /** The Node shows that the drain for a cause is in progress. */
  record Show(Disruption.Committed last, DrainProgress progress) implements Written {}

  /**
   * The Node enters the state of its reboot.
   *
   * @param cutOff how many Pods are left on it, which end with its boot
   */
  record Enter(Disruption.Committed last, int cutOff) implements Written {}

  /** The machine did not come back; the Node waits until it may leave, or its machine is back. */
  record Lose(Disruption.Committed last, String why) implements Written {}

  /**
   * The disruption ends without effect: the Node is passed over, for no time or for some.
   *
   * @param cancelled whether a person ended it, and with it the request for it (decision D69)
   */
  record Withdraw(Disruption.Active last, Disruption.PassedOver next, boolean cancelled, String why)
      implements Written {}

  /**
   * The machine was rebooted, or that could not be requested: the Node is back in production.
   *
   * @param events the Events that announce it
   */
  record End(
      Disruption.Committed last, Disruption.PassedOver next, List<EventDraft> events, String why)
      implements Written {}

  /** A disruption of this Node is admitted for these causes. */
  static Admit admitted(Node node, List<Disruption.Cause> causes) {
    boolean requested =
        causes.stream().anyMatch(cause -> cause.what().isRemovalRequest())
            || node.disruption().filter(Disruption::isRequested).isPresent();
    return new Admit(
        new Disruption.Admitted(
            node.disruption().map(Disruption::sequence).orElse(0) + 1,
            causes,
            node.cordoned() ? Disruption.Cordon.FOREIGN : Disruption.Cordon.OURS,
            new DisruptionNotes(Instant.MIN, requested)));
  }

  /**
   * These causes of a disruption are left; it is withdrawn if there are none.
   *
   * @param until until when the Node is not chosen again; {@link Instant#MIN} if it may be at once
   */
  static Written left(
      Disruption.Active last, List<Disruption.Cause> left, Instant now, Instant until, String why) {
    return left.isEmpty()
        ? new Withdraw(last, last.ended(now, until.isAfter(now) ? until : now), false, why)
        : new Update(last, last.withCauses(left).withPassedOver(until), why);
  }
}
