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
 * Meanwhile its machine is verified again now and then, because what failed may have been the
 * verification itself.
 */
final class LostMachine {
  static final String FAILED = "its fleet reports that its machine failed";
  static final String NOT_VERIFIED = "it did not pass its verification";

  private final DisruptedNode subject;
  private final MachineSnapshot seen;
  private final Host host;
  private final NodeDisruption disruption;
  private final NodeRecord record;
  private final PlanSettings settings;

  LostMachine(DisruptedNode subject, MachineSnapshot seen, NodeDisruption disruption) {
    this.subject = subject;
    this.seen = seen;
    this.host = seen.host();
    this.disruption = disruption;
    this.record = subject.record();
    this.settings = subject.settings();
  }

  /** Whether the Node waits to leave, and may now. */
  boolean isDue(Disruption.Committed reboot) {
    return isMarked(reboot) && mayLeave(reboot);
  }

  private boolean mayLeave(Disruption.Committed reboot) {
    return subject.demands().admission().mayLeave(subject.node(), reboot);
  }

  private boolean isMarked(Disruption.Committed reboot) {
    return subject.node().failedReboot().filter(reboot.name()::equals).isPresent();
  }

  /**
   * Whether the pool has published the failed attempts, which count against its configuration. The
   * Node goes on after that, so that none is forgotten however many fail at once.
   */
  boolean isAcknowledged(Disruption.Committed reboot) {
    return seen.pool()
        .filter(pool -> !pool.isTerminating())
        .map(pool -> pool.status().configuration())
        .map(published ->
            BootFailures.arePublished(published, host, reboot, settings.reboot().attempts()))
        .orElse(true);
  }

  /** The Node leaves although its machine may be being verified once more. */
  MachinePlan giveUp(Disruption.Committed reboot) {
    boolean failed = host.report().boot().verification().filter(last -> !last.passed()).isPresent();
    return giveUp(
        reboot,
        host.isRebooting() ? notBooted(settings) : failed ? NOT_VERIFIED : notVerified(settings));
  }

  /** Why an attempt failed that led to no other boot in time. */
  static String notBooted(PlanSettings settings) {
    return "it was on no other boot within " + Messages.duration(settings.reboot().bootDeadline());
  }

  /** Why an attempt failed whose boot was not verified in time. */
  static String notVerified(PlanSettings settings) {
    return "it was not verified and Ready within "
        + Messages.duration(settings.reboot().wholeDeadline());
  }

  /** The Node leaves if it may, and else waits. */
  MachinePlan giveUp(Disruption.Committed reboot, String why) {
    if (!isAcknowledged(reboot)) {
      return MachinePlan.NOTHING;
    }
    if (!mayLeave(reboot)) {
      return isMarked(reboot)
          ? verifiedAgain(reboot)
          : record.plan(new RecordChange.Lose(reboot, why));
    }
    return MachinePlan.of(
        record
            .write(disruption.giveUp(reboot))
            .after(record.events().failed(reboot, why))
            .withWhy(why));
  }

  private MachinePlan verifiedAgain(Disruption.Committed reboot) {
    boolean verifies =
        !host.is(HostPhase.FAILED)
            && !host.isRebooting()
            && !host.report().bootId().isEmpty()
            && seen.offer()
                .filter(offer -> offer.capabilities().offers(BootKind.VERIFICATION))
                .isPresent();
    return RebootRequest.asked(host, subject.node(), reboot)
        .filter(_ -> verifies)
        .map(last -> {
          Instant due =
              seen.evidence()
                  .boot()
                  .seen()
                  .orElse(subject.now())
                  .plus(settings.reboot().wholeDeadline())
                  .plus(settings.removal().passedOver());
          return subject.now().isBefore(due)
              ? MachinePlan.waiting(due)
              : MachinePlan.of(verifyAgain(last));
        })
        .orElse(MachinePlan.NOTHING);
  }

  private PlannedAction verifyAgain(BootRequest last) {
    BootRequest next =
        last.again(host.report().bootId(), subject.now(), BootRequest.Outcome.NOT_VERIFIED)
            .withKind(BootKind.VERIFICATION)
            .withAlert("")
            .withConfiguration("");
    return PlannedAction.quiet(
        new Action.OnHost(new HostOperation.Boot(host.id(), host.tenancy(), subject.pool(), next)),
        "it waits until it may leave, and is verified again");
  }
}
