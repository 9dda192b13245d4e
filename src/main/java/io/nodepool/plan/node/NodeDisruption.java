package io.nodepool.plan.node;

import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Workload;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.plan.disruption.cause.DisruptionAdmission;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.NoMachineCause;
import io.nodepool.plan.disruption.cause.NodeDemands;
import io.nodepool.plan.disruption.cause.RebootConsent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * A disruption up to its commitment: after the settle time of the cordon the Node's Pods are listed
 * live, and only if that list shows that the Node may be disrupted, the disruption is committed.
 * The API server accepts a binding to a cordoned Node, so nothing less shows that the Node is idle.
 * Until then each cause may withdraw, and the Node stays once none is left.
 */
final class NodeDisruption {
  /**
   * A Node that a person uncordoned is passed over this many times longer than one that got tenant
   * work (decision D69).
   */
  private static final int UNCORDONED_FACTOR = 5;

  private final DisruptedNode subject;
  private final Node node;
  private final DisruptionChange change;
  private final NodeCommitment commitment;
  private final NodeDemands demands;
  private final DisruptionAdmission admission;
  private final Instant now;
  private final PlanSettings settings;

  NodeDisruption(DisruptedNode subject, NodeDemands demands, Instant now, PlanSettings settings) {
    this.subject = subject;
    this.node = subject.node();
    this.change = new DisruptionChange(node, subject.pool());
    this.commitment = new NodeCommitment(subject, demands, now, settings);
    this.demands = demands;
    this.admission = DisruptionAdmission.of(demands.facts().pool(), subject.fleetIsKnown());
    this.now = now;
    this.settings = settings;
  }

  /** What follows once it is committed. */
  NodeCommitment commitment() {
    return commitment;
  }

  /** Admits what the machine's plan demands by itself; empty if it demands nothing now. */
  Optional<PlannedAction> begin() {
    return admit(demands.own(Optional.empty()).stream().filter(this::mayBegin).toList());
  }

  /**
   * Whether the Node may be cordoned for this cause now. One that ends when the Node is busy begins
   * when it is idle, and not again at once after tenant work or a person kept the Node.
   */
  private boolean mayBegin(Disruption.Cause cause) {
    if (cause.leaves()) {
      return true;
    }
    return demands.isAdmitted(cause, admission)
        && node.passedOverUntil(now).isEmpty()
        && !(demands.endsWhenBusy(cause) && isBusy());
  }

  /**
   * Whether the Node is busy by its Pods or by its own CWActive; it is idle only if both say so.
   */
  private boolean isBusy() {
    return subject.workload(subject.pods(), now).isBusy() || node.isReportedActive();
  }

  /** Admits a disruption for a cause that a live read found. */
  Optional<PlannedAction> begin(KnownCause found) {
    return admit(List.of(found.at(now)));
  }

  private Optional<PlannedAction> admit(List<Disruption.Cause> found) {
    List<Disruption.Cause> admitted =
        found.stream().filter(cause -> demands.isAdmitted(cause, admission)).toList();
    return admitted.isEmpty() ? Optional.empty() : Optional.of(change.admit(admitted));
  }

  /** The next step of an admitted disruption. */
  MachinePlan settle(Disruption.Admitted admitted) {
    Optional<PlannedAction> followed = follow(admitted);
    if (followed.isPresent()) {
      return MachinePlan.of(followed);
    }
    if (!node.cordoned()) {
      return MachinePlan.of(uncordoned(admitted));
    }
    Workload workload = subject.workload(subject.pods(), now);
    Optional<PlannedAction> kept = kept(admitted, workload, "it got tenant work");
    if (kept.isPresent()) {
      return MachinePlan.of(kept);
    }
    List<Disruption.Cause> committed = demands.committed(admitted.causes(), admission);
    Optional<Demand.Part> wanted =
        demands.inEffect(admitted, admission).map(demand -> demand.carriedOut(workload.isBusy()));
    if (committed.isEmpty() || wanted.isEmpty()) {
      return MachinePlan.NOTHING;
    }
    return subject
        .announce(admitted)
        .map(MachinePlan::of)
        .orElseGet(() -> commitWhenDue(admitted.withCauses(committed), wanted.get(), workload));
  }

  private MachinePlan commitWhenDue(
      Disruption.Admitted admitted, Demand.Part wanted, Workload workload) {
    Demand.Window window = wanted.window();
    Optional<MachinePlan> waits = waitsUntilDue(window, workload);
    if (waits.isPresent()) {
      return waits.get();
    }
    Duration settle = settings.removal().settle();
    Duration watched = Duration.between(subject.evidence().cordonSeen().orElse(now), now);
    if (!demands.isDueUnsettled() && watched.compareTo(settle) < 0) {
      return MachinePlan.waiting(now.plus(settle.minus(watched)));
    }
    if (isConsentDue(admitted)) {
      return MachinePlan.of(RebootConsent.read(node));
    }
    Optional<MachineSnapshot.Listing> listed = subject.listed(now);
    if (listed.isEmpty()) {
      return MachinePlan.of(subject.list("its cordon has settled"));
    }
    return keptOrDue(admitted, window, listed.get())
        .orElseGet(() -> MachinePlan.of(commitment.commit(admitted, wanted, listed.get())));
  }

  /** Whether it must be read anew that the request that interrupts work is still the same. */
  private boolean isConsentDue(Disruption.Admitted admitted) {
    return demands.consent() instanceof RebootConsent.Unread
        && !admitted.leaves()
        && admitted.causes().stream().anyMatch(cause -> KnownCause.of(cause).isImmediate());
  }

  /** The wait until the Node may be touched; empty if it may be now. */
  private Optional<MachinePlan> waitsUntilDue(Demand.Window window, Workload workload) {
    Instant due = workload.isBusy() ? window.interruptAt() : window.notBefore();
    return now.isBefore(due) ? Optional.of(until(due)) : Optional.empty();
  }

  /** The plan if the live list shows work that keeps the Node; empty if it may be touched. */
  private Optional<MachinePlan> keptOrDue(
      Disruption.Active active, Demand.Window window, MachineSnapshot.Listing listed) {
    Workload found = subject.workload(listed.pods(), now);
    Optional<PlannedAction> kept =
        kept(active, found, "it got tenant work that only a live list shows");
    if (kept.isPresent()) {
      return kept.map(MachinePlan::of);
    }
    return found.isBusy() && !window.mayInterrupt(now)
        ? Optional.of(until(window.interruptAt()))
        : Optional.empty();
  }

  private static MachinePlan until(Instant due) {
    return due.equals(Instant.MAX) ? MachinePlan.NOTHING : MachinePlan.waiting(due);
  }

  /**
   * Follows what is demanded beside a committed reboot: causes to leave join, or withdraw. The
   * reboot itself is not withdrawn.
   */
  Optional<PlannedAction> followLeaving(Disruption.Committed reboot) {
    List<Disruption.Cause> own = demands.own(Optional.of(reboot));
    List<Disruption.Cause> next =
        new ArrayList<>(
            reboot.causes().stream()
                .filter(cause -> !cause.leaves() || demands.isStillDemanded(cause, own))
                .toList());
    reboot.newAmong(own).stream().filter(Disruption.Cause::leaves).forEach(next::add);
    Disruption.Committed changed = reboot.withCauses(next);
    return changed.equals(reboot)
        ? Optional.empty()
        : Optional.of(change.update(changed, reboot, changed.text()));
  }

  /**
   * Raises a committed reboot to leave, when the causes to leave that were added allow it: the Node
   * is idle by a live list, or its work may be interrupted. Empty without such causes, and while
   * the drain for the reboot ends the work: that has its deadline, which is not moved to a later
   * one.
   *
   * @param draining whether the Node is still drained for its reboot
   */
  Optional<MachinePlan> raise(Disruption.Committed reboot, boolean draining) {
    Optional<Demand.Part> wanted = demands.inEffect(reboot, admission).flatMap(Demand::leaving);
    if (wanted.isEmpty()) {
      return Optional.empty();
    }
    Demand.Window window = wanted.get().window();
    Workload workload = subject.workload(subject.pods(), now);
    Optional<PlannedAction> kept = kept(reboot, workload, "it got tenant work");
    if (kept.isPresent()) {
      return kept.map(MachinePlan::of);
    }
    if (draining && workload.isBusy() && !window.isFromOutside()) {
      return Optional.empty();
    }
    Optional<MachinePlan> waits = waitsUntilDue(window, workload);
    if (waits.isPresent()) {
      return waits;
    }
    Optional<MachineSnapshot.Listing> listed = subject.listed(now);
    if (listed.isEmpty()) {
      return Optional.of(MachinePlan.of(subject.list("it is to leave instead of its reboot")));
    }
    return Optional.of(
        keptOrDue(reboot, window, listed.get())
            .orElseGet(() -> MachinePlan.of(commitment.raise(reboot, wanted.get(), listed.get()))));
  }

  /**
   * Ends a drain that only a rollout demanded, and that a user has taken back before the remaining
   * Pods are deleted: the Node stays, without what was evicted (decision D173). While that is not
   * published yet nothing more is evicted (decision D199). Empty otherwise.
   */
  Optional<MachinePlan> release(Disruption.Committed reboot) {
    if (!now.isBefore(reboot.forceAt())) {
      return Optional.empty();
    }
    if (demands.isReleased(reboot)) {
      return Optional.of(
          MachinePlan.of(
              change.release(
                  reboot,
                  now,
                  now.plus(settings.removal().passedOver()),
                  "its rollout was stopped, or no longer evicts")));
    }
    return demands.isAboutToBeReleased(reboot)
        ? Optional.of(MachinePlan.waiting(reboot.forceAt()))
        : Optional.empty();
  }

  /**
   * Lets a Node leave that is committed to a reboot and has no machine any more that could boot. A
   * notice of preemption, and what its pool demanded, ended with the Host. Work that may not be
   * interrupted because the machine is gone ends the reboot and its drain: nothing would come of
   * them (decision D219).
   */
  MachinePlan leaveWithoutMachine(Disruption.Committed reboot) {
    Optional<PlannedAction> followed = followLeaving(reboot);
    if (followed.isPresent()) {
      return MachinePlan.of(followed);
    }
    Optional<PlannedAction> announced = subject.announce(reboot);
    if (announced.isPresent()) {
      return MachinePlan.of(announced);
    }
    Disruption.Cause gone = new NoMachineCause().at(now);
    if (reboot.newAmong(List.of(gone)).isEmpty()) {
      return raise(reboot, false).orElse(MachinePlan.NOTHING);
    }
    boolean stays = demands.endsWhenBusy(gone) && subject.workload(subject.pods(), now).isBusy();
    return MachinePlan.of(
        stays
            ? change.release(reboot, now, now, "its machine is gone, and it has work")
            : change.update(
                reboot.withCauses(reboot.causesAnd(List.of(gone))), reboot, gone.text()));
  }

  /** Follows what the machine's plan demands by itself: causes join, or withdraw. */
  private Optional<PlannedAction> follow(Disruption.Admitted admitted) {
    List<Disruption.Cause> own = demands.own(Optional.of(admitted));
    List<Disruption.Cause> next =
        new ArrayList<>(
            admitted.causes().stream()
                .filter(cause -> demands.isStillDemanded(cause, own))
                .toList());
    boolean left = next.size() < admitted.causes().size();
    List<Disruption.Cause> joined = admitted.newAmong(own).stream().filter(this::mayBegin).toList();
    next.addAll(joined);
    if (next.isEmpty()) {
      return Optional.of(change.withdraw(admitted, now, now, withdrawn(admitted)));
    }
    if (!left && joined.isEmpty()) {
      return Optional.empty();
    }
    Disruption.Admitted changed = admitted.withCauses(next);
    return Optional.of(
        change.update(
            changed,
            admitted,
            joined.isEmpty() ? "a cause was withdrawn" : joined.getFirst().text()));
  }

  private static String withdrawn(Disruption.Admitted admitted) {
    return admitted.causes().stream()
        .min(
            Comparator.comparing((Disruption.Cause cause) ->
                    cause.rule().countsAs() != CauseRule.CountsAs.PREEMPTION)
                .thenComparing(cause -> !cause.rule().isOfPool()))
        .map(cause -> KnownCause.of(cause).withdrawnText())
        .orElseThrow();
  }

  /**
   * Another client uncordoned the Node: that ends the disruption but for causes that insist, for
   * which it is cordoned again (decision D69).
   */
  private PlannedAction uncordoned(Disruption.Admitted admitted) {
    Instant until = now.plus(settings.removal().passedOver().multipliedBy(UNCORDONED_FACTOR));
    List<Disruption.Cause> insisting =
        admitted.causes().stream()
            .filter(cause -> cause.rule().whenUncordoned() == CauseRule.WhenUncordoned.INSIST)
            .toList();
    if (insisting.isEmpty()) {
      return change.cancel(admitted, now, until, "somebody uncordoned it");
    }
    Disruption.Admitted next =
        insisting.size() == admitted.causes().size()
            ? admitted
            : admitted.withCauses(insisting).withPassedOver(until);
    return change.cordonAgain(next, admitted);
  }

  /**
   * Withdraws the causes for which tenant work keeps the Node; empty if it does not keep it. The
   * pool does not choose it again for some time, because another attempt would fail the same way.
   */
  private Optional<PlannedAction> kept(Disruption.Active active, Workload workload, String why) {
    if (!workload.isBusy()) {
      return Optional.empty();
    }
    List<Disruption.Cause> left =
        active.causes().stream().filter(cause -> !isGivenUp(active, cause)).toList();
    if (left.size() == active.causes().size()) {
      return Optional.empty();
    }
    Instant until = now.plus(settings.removal().passedOver());
    return Optional.of(change.keep(active, left, now, until, why));
  }

  /** Whether tenant work ends this cause; a reboot that is committed is not withdrawn any more. */
  private boolean isGivenUp(Disruption.Active active, Disruption.Cause cause) {
    return switch (active) {
      case Disruption.Admitted _ -> demands.endsWhenBusy(cause);
      case Disruption.Committed _ -> cause.leaves() && demands.endsWhenBusy(cause);
    };
  }
}
