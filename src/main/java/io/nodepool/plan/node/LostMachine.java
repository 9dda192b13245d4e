package io.nodepool.plan.node;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.configuration.BootFailures;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.vocabulary.BootKind;
import java.time.Instant;

/**
 * A Node whose machine did not come back in the last attempt of its reboot. It stays cordoned and
 * is marked, until its pool lets it leave: then its Host is set aside (decisions D146 and D221).
 * Meanwhile its machine is verified again from time to time, because the verification itself may
 * have failed.
 */
record LostMachine(
    DisruptedNode subject,
    MachineSnapshot seen,
    NodeDisruption disruption,
    Disruption.Committed reboot) {
  static final String FAILED = "its fleet reports that its machine failed";
  static final String NOT_VERIFIED = "it did not pass its verification";

  private Host host() {
    return seen.host();
  }

  /** Whether the Node waits to leave, and may leave now. */
  boolean isDue() {
    return isMarked() && mayLeave();
  }

  private boolean mayLeave() {
    return subject.demands().admission().mayLeave(subject.node(), reboot);
  }

  private boolean isMarked() {
    return subject.node().failedReboot().filter(reboot.name()::equals).isPresent();
  }

  /**
   * Whether the pool has published the failed attempts, which count against its configuration. The
   * Node continues only after that, so that no failure is lost if many Nodes fail at once.
   */
  boolean isAcknowledged() {
    return seen.pool()
        .filter(pool -> !pool.isTerminating())
        .map(pool -> pool.status().configuration())
        .map(published ->
            BootFailures.arePublished(
                published, host(), reboot, subject.settings().reboot().attempts()))
        .orElse(true);
  }

  /** The Node leaves, even if its machine is being verified again. */
  MachinePlan giveUp() {
    boolean failed =
        host().report().boot().verification().filter(last -> !last.passed()).isPresent();
    return giveUp(
        host().isRebooting()
            ? notBooted(subject.settings())
            : failed ? NOT_VERIFIED : notVerified(subject.settings()));
  }

  /** The text for an attempt that led to no other boot in time. */
  static String notBooted(PlanSettings settings) {
    return "it was on no other boot within " + Messages.duration(settings.reboot().bootDeadline());
  }

  /** The text for an attempt whose boot was not verified in time. */
  static String notVerified(PlanSettings settings) {
    return "it was not verified and Ready within "
        + Messages.duration(settings.reboot().wholeDeadline());
  }

  /** The Node leaves if it may; otherwise it waits. */
  MachinePlan giveUp(String why) {
    if (!isAcknowledged()) {
      return MachinePlan.NOTHING;
    }
    if (!mayLeave()) {
      return isMarked() ? verifiedAgain() : MachinePlan.of(subject.record().lose(reboot, why));
    }
    return MachinePlan.of(
        disruption.giveUp(reboot).after(subject.events().failed(reboot, why)).withWhy(why));
  }

  private MachinePlan verifiedAgain() {
    boolean verifies =
        !host().is(HostPhase.FAILED)
            && host().hold(subject.now()).isEmpty()
            && !host().isRebooting()
            && !host().report().bootId().isEmpty()
            && seen.offer()
                .filter(offer -> offer.capabilities().offers(BootKind.VERIFICATION))
                .isPresent();
    return RebootRequest.asked(host(), subject.node(), reboot)
        .filter(_ -> verifies)
        .map(last -> {
          Instant due =
              seen.evidence()
                  .boot()
                  .seen()
                  .orElse(subject.now())
                  .plus(subject.settings().reboot().wholeDeadline())
                  .plus(subject.settings().removal().passedOver());
          return subject.now().isBefore(due)
              ? MachinePlan.waiting(due)
              : MachinePlan.of(verifyAgain(last));
        })
        .orElse(MachinePlan.NOTHING);
  }

  private PlannedAction verifyAgain(BootRequest last) {
    BootRequest next =
        last.again(host().report().bootId(), subject.now(), BootRequest.Outcome.NOT_VERIFIED)
            .withKind(BootKind.VERIFICATION)
            .withAlert("")
            .withConfiguration("");
    return PlannedAction.quiet(
        new Action.OnHost(
            new HostOperation.Boot(host().id(), host().tenancy(), subject.pool(), next)),
        "it waits until it may leave, and is verified again");
  }
}
