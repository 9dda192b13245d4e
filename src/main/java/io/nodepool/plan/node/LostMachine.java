package io.nodepool.plan.node;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.configuration.BootFailures;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.EventReason;
import java.time.Instant;
import java.util.List;

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
  private final Node node;
  private final MachineSnapshot seen;
  private final Host host;
  private final NodeDisruption disruption;
  private final NodeRecord record;
  private final PlanSettings settings;

  LostMachine(DisruptedNode subject, MachineSnapshot seen, NodeDisruption disruption) {
    this.subject = subject;
    this.node = subject.node();
    this.seen = seen;
    this.host = seen.host();
    this.disruption = disruption;
    this.record = subject.record();
    this.settings = subject.settings();
  }

  /** Whether the Node waits to leave, and may now. */
  boolean isDue(Disruption.Committed reboot) {
    return isMarked(reboot) && subject.demands().admission().mayLeave(node, reboot);
  }

  private boolean isMarked(Disruption.Committed reboot) {
    return node.failedReboot().filter(reboot.name()::equals).isPresent();
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
    if (host.isRebooting()) {
      return giveUp(
          reboot,
          "it was on no other boot within " + Messages.duration(settings.reboot().bootDeadline()));
    }
    boolean failed = host.report().boot().verification().filter(last -> !last.passed()).isPresent();
    return giveUp(
        reboot,
        failed
            ? NOT_VERIFIED
            : "it was not verified and Ready within "
                + Messages.duration(settings.reboot().wholeDeadline()));
  }

  /** The Node leaves if it may, and else waits. */
  MachinePlan giveUp(Disruption.Committed reboot, String why) {
    if (!isAcknowledged(reboot)) {
      return MachinePlan.NOTHING;
    }
    if (!subject.demands().admission().mayLeave(node, reboot)) {
      return isMarked(reboot)
          ? verifiedAgain(reboot)
          : record.plan(new RecordChange.Lose(reboot, why));
    }
    String text =
        "Node %s did not come back from its reboot: %s. It leaves NodePool %s, and its Host is set aside."
            .formatted(node.name(), why, subject.pool().name());
    EventDraft ofPool =
        new EventDraft(
            EventReason.NODE_REBOOT_FAILED,
            EventDraft.Regarding.of(subject.pool()),
            node.uid() + "/" + reboot.sequence(),
            text,
            1);
    EventDraft ofNode = record.events().ofNode(EventReason.NODE_REBOOT_FAILED, reboot, text);
    return MachinePlan.of(
        record.write(disruption.giveUp(reboot)).after(List.of(ofNode, ofPool)).withWhy(why));
  }

  private MachinePlan verifiedAgain(Disruption.Committed reboot) {
    boolean verifies =
        !host.is(HostPhase.FAILED)
            && !host.isRebooting()
            && !host.report().bootId().isEmpty()
            && seen.offer()
                .filter(offer -> offer.capabilities().offers(BootKind.VERIFICATION))
                .isPresent();
    return RebootRequest.asked(host, node, reboot)
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
            .into("");
    return PlannedAction.quiet(
        new Action.OnHost(new HostOperation.Boot(host.id(), host.tenancy(), subject.pool(), next)),
        "it waits until it may leave, and is verified again");
  }
}
