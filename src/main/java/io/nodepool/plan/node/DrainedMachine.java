package io.nodepool.plan.node;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.Preservation;
import io.nodepool.plan.disruption.cause.CauseKind;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.plan.disruption.cause.RepairCause;
import io.nodepool.plan.metadata.LeavingState;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Instant;
import java.util.Optional;

/**
 * The machine of a Node that leaves: once no Pod is left to evict, it is verified if an alert about
 * it is held, and kept for inspection or stopped.
 */
record DrainedMachine(DisruptedNode subject, MachineSnapshot seen, Disruption.Committed removal) {
  /**
   * The action that stops the machine, or keeps it for inspection, with the failure for which its
   * Node left. A kept machine has it recorded; a person may have cleared it since.
   */
  PlannedAction end() {
    return RepairNote.ofLeaving(seen, removal, subject.now(), subject.settings())
        .orElseGet(this::endNoted);
  }

  private PlannedAction endNoted() {
    Host host = seen.host();
    Optional<DeliveryHistory> failed =
        host.preserved().isPresent()
            ? Optional.empty()
            : Delivery.failed(seen, removal, subject.now(), subject.settings());
    HostOperation operation =
        Preservation.begun(seen, removal, subject.now(), subject.settings())
            .<HostOperation>map(kept ->
                new HostOperation.Preserve(host.id(), host.tenancy(), subject.pool(), kept, failed))
            .orElseGet(
                () -> new HostOperation.Stop(host.id(), host.tenancy(), subject.pool(), failed));
    return PlannedAction.quiet(new Action.OnHost(operation), removal.text());
  }

  /**
   * The plan while a drained machine is verified because an alert about it is held, before another
   * pool may get it (decision D33). Empty once the verification is answered, or if the machine
   * cannot be verified: then its Host is assigned last.
   */
  Optional<MachinePlan> verified() {
    Host host = seen.host();
    return RepairCause.outOnceReleased(seen)
        .filter(_ -> removal.limits().stopAt().isEmpty())
        .filter(_ -> host.is(HostPhase.RUNNING) && subject.node().ready())
        .filter(_ -> host.preserved().isEmpty())
        .filter(_ ->
            removal.causes().stream()
                .allMatch(cause -> KnownCause.of(cause).kind().blame() == CauseKind.Blame.NONE))
        .flatMap(held ->
            RebootRequest.askedToLeave(host, subject.node())
                .map(asked -> awaited(asked, held))
                .orElseGet(() -> asked(held)));
  }

  private Optional<MachinePlan> asked(RepairCause held) {
    Host host = seen.host();
    return seen.offer()
        .filter(offer -> offer.capabilities().verifies())
        .filter(_ -> host.hold(subject.now()).isEmpty())
        .filter(_ -> seen.evidence().boot().refused().isEmpty())
        .map(_ ->
            BootRequest.first(
                host.report().bootId(),
                BootKind.VERIFICATION,
                RebootRequest.toLeave(subject.node(), removal),
                subject.now(),
                host.boot()))
        .map(request ->
            MachinePlan.of(
                PlannedAction.quiet(
                    new Action.OnHost(
                        new HostOperation.Boot(host.id(), host.tenancy(), subject.pool(), request)),
                    held.text() + ", which is held")));
  }

  private Optional<MachinePlan> awaited(BootRequest asked, RepairCause held) {
    Instant until = asked.at().plus(subject.settings().reboot().wholeDeadline());
    return Optional.of(
            MachinePlan.of(
                    PlannedAction.reportRemoval(
                        subject.node(),
                        Optional.of(
                            new Node.Removing(
                                NodeRemovalReason.VERIFYING,
                                "All Pods are gone; its machine is verified, until %s at most, since its alert %s is held."
                                    .formatted(Messages.instant(until), held.alert()))),
                        "its machine is verified"))
                .or(Optional.of(until)))
        .filter(_ -> subject.now().isBefore(until));
  }

  /** The plan of a Node whose machine is kept for inspection; empty if it must be stopped. */
  Optional<MachinePlan> kept() {
    return Preservation.until(seen, subject.now(), subject.settings())
        .map(until ->
            MachinePlan.of(
                    subject.node().cordoned()
                        ? shownAsKept()
                        : Optional.of(subject.record().cordonAgain(removal, removal)))
                .or(Optional.of(until)));
  }

  private Optional<PlannedAction> shownAsKept() {
    return PlannedAction.reportRemoval(
            subject.node(), Preservation.report(seen.host()), "it is kept for inspection")
        .or(() -> LeavingState.show(subject.node(), seen.host()));
  }
}
