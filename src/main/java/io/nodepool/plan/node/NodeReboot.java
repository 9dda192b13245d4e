package io.nodepool.plan.node;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.configuration.Staging;
import io.nodepool.plan.disruption.RebootRequest;
import io.nodepool.plan.disruption.RolloutTurn;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A Node whose disruption is committed to a reboot: it is drained, its machine is asked to be on
 * another boot, and the Node returns to production when that boot is verified (contract §12). An
 * attempt that fails is repeated; after the last one the Node leaves and its Host is set aside
 * (decision D146). Each step can be read from the Node's record and the Host's request.
 */
final class NodeReboot {
  private final DisruptedNode subject;
  private final Node node;
  private final MachineSnapshot seen;
  private final Host host;
  private final NodeDisruption disruption;
  private final DisruptionChange change;
  private final Instant now;
  private final PlanSettings settings;

  NodeReboot(
      DisruptedNode subject,
      MachineSnapshot seen,
      NodeDisruption disruption,
      Instant now,
      PlanSettings settings) {
    this.subject = subject;
    this.node = subject.node();
    this.seen = seen;
    this.host = seen.host();
    this.disruption = disruption;
    this.change = new DisruptionChange(node, subject.pool());
    this.now = now;
    this.settings = settings;
  }

  /** The next step; causes to leave that were added meanwhile go first. */
  MachinePlan next(Disruption.Committed reboot) {
    Optional<PlannedAction> changed =
        disruption.followLeaving(reboot).or(() -> subject.announce(reboot));
    if (changed.isPresent()) {
      return MachinePlan.of(changed);
    }
    Optional<BootRequest> asked = host.boot().filter(request -> request.isOf(operation(reboot)));
    Optional<MachinePlan> raised = disruption.raise(reboot, asked.isEmpty());
    if (raised.filter(plan -> !plan.plannedActions().isEmpty()).isPresent()) {
      return raised.get();
    }
    MachinePlan plan =
        asked
            .map(request -> booting(reboot, request))
            .orElseGet(() ->
                new NodeTermination(subject, disruption.commitment(), now, settings)
                    .drainFor(reboot, () -> boot(reboot)));
    return plan.or(raised.flatMap(MachinePlan::wakeup));
  }

  /**
   * What all attempts of this disruption have in common. Its instant distinguishes it also after
   * another client removed the record of earlier ones, whose number is used again then.
   */
  private String operation(Disruption.Committed reboot) {
    return "reboot/%s/%d/%s".formatted(node.uid(), reboot.sequence(), reboot.at());
  }

  /** The drained Node goes into the state of its reboot, and then its machine is booted. */
  private MachinePlan boot(Disruption.Committed reboot) {
    LifecycleState state = RebootRequest.stateOf(reboot.causes());
    Optional<PlannedAction> staged = stage(reboot, 1);
    if (staged.isPresent()) {
      return MachinePlan.of(staged);
    }
    if (!node.metadata().label(NodeLabels.STATE).equals(state.word())) {
      return MachinePlan.of(change.state(reboot, state));
    }
    return MachinePlan.of(
        PlannedAction.quiet(
            request(
                BootRequest.first(
                    host.report().bootId(), kind(reboot), operation(reboot), now, host.boot())),
            reboot.text()));
  }

  /**
   * Stages what an attempt boots, if the Node is reconfigured; other reboots boot what is staged.
   */
  private Optional<PlannedAction> stage(Disruption.Committed reboot, int attempt) {
    int attempts = settings.reboot().attempts();
    return RebootRequest.stateOf(reboot.causes()) == LifecycleState.RECONFIGURE
        ? seen.pool()
            .flatMap(pool ->
                Staging.forReconfiguration(host, node, pool, attempts > 1 && attempt >= attempts))
        : Optional.empty();
  }

  private static BootKind kind(Disruption.Committed reboot) {
    return reboot.boot().orElse(BootKind.VERIFICATION);
  }

  private Action request(BootRequest request) {
    return new Action.OnHost(
        new HostOperation.Boot(host.id(), host.tenancy(), subject.pool(), request));
  }

  /** The machine was asked to boot: it does, or is verified, or is late. */
  private MachinePlan booting(Disruption.Committed reboot, BootRequest request) {
    if (!node.cordoned()) {
      return MachinePlan.of(change.cordonAgain(reboot, reboot));
    }
    if (host.is(HostPhase.FAILED)) {
      return MachinePlan.of(giveUp(reboot, "its fleet reports that its machine failed"));
    }
    if (host.isRebooting()) {
      return late(request, settings.reboot().bootDeadline())
          .orElseGet(() ->
              retry(
                  reboot,
                  request.again(request.from(), now, BootRequest.Outcome.NOT_BOOTED),
                  "it was on no other boot within "
                      + Messages.duration(settings.reboot().bootDeadline())));
    }
    return verified(request)
        .map(passed ->
            passed
                ? back(reboot)
                : retry(reboot, notVerified(request), "it did not pass its verification"))
        .or(() -> late(request, wholeDeadline()))
        .orElseGet(() ->
            retry(
                reboot,
                notVerified(request),
                "it was not verified and Ready within " + Messages.duration(wholeDeadline())));
  }

  /** How long an attempt may take in all, from its request. */
  private Duration wholeDeadline() {
    return settings.reboot().bootDeadline().plus(settings.reboot().verificationDeadline());
  }

  private BootRequest notVerified(BootRequest request) {
    return request.again(host.report().bootId(), now, BootRequest.Outcome.NOT_VERIFIED);
  }

  /**
   * The wait for an attempt; empty if it is late. Time in which no operator watched is no delay.
   */
  private Optional<MachinePlan> late(BootRequest request, Duration deadline) {
    Instant since = seen.evidence().bootSeen().orElse(now);
    Instant due = (since.isAfter(request.at()) ? since : request.at()).plus(deadline);
    return now.isBefore(due) ? Optional.of(MachinePlan.waiting(due)) : Optional.empty();
  }

  /**
   * Whether the machine passed the verification of its boot; empty while that is not known. A
   * machine whose fleet does not verify has passed when its Node is Ready. A Node that is not Ready
   * is waited for.
   */
  private Optional<Boolean> verified(BootRequest request) {
    String boot = host.report().bootId();
    boolean ready = node.ready() && node.status().bootId().equals(boot);
    boolean verifies =
        seen.offer().map(FleetOffer::capabilities).filter(each -> each.verifies()).isPresent();
    if (!verifies) {
      return ready && seen.offer().isPresent() ? Optional.of(true) : Optional.empty();
    }
    return host.report()
        .boot()
        .verification()
        .filter(verification -> verification.answers(boot, request))
        .map(Host.Verification::passed)
        .filter(passed -> ready || !passed);
  }

  /** The machine is back: the Node returns to production, unless it is about to leave. */
  private MachinePlan back(Disruption.Committed reboot) {
    if (reboot.leaves()) {
      return MachinePlan.NOTHING;
    }
    boolean reconfigured = RebootRequest.stateOf(reboot.causes()) == LifecycleState.RECONFIGURE;
    String text =
        "Node %s is on boot %s, and verified%s."
            .formatted(
                node.name(),
                host.report().bootId(),
                reconfigured && !host.report().bootedConfiguration().isEmpty()
                    ? "; its configuration is " + host.report().bootedConfiguration()
                    : "");
    boolean upToDate =
        reconfigured
            && seen.pool()
                .filter(
                    pool -> host.report().bootedConfiguration().equals(pool.status().nodeProfile()))
                .isPresent();
    EventDraft done =
        eventDraft(
            upToDate ? EventReason.RECONFIGURE_REBOOTED : EventReason.NODE_REBOOTED, reboot, text);
    return MachinePlan.of(
        change.end(
            reboot.ended(now, until(reboot)),
            reboot,
            List.of(done),
            "it is on another boot, and verified"));
  }

  /**
   * Until when the Node is not chosen again: if it did not boot into the configuration for which a
   * rollout chose it, another attempt at once would end the same way.
   */
  private Instant until(Disruption.Committed reboot) {
    boolean missed =
        reboot.causes().stream()
            .flatMap(cause -> RolloutTurn.of(cause).stream())
            .anyMatch(turn -> !turn.profile().equals(host.report().bootedConfiguration()));
    return missed ? now.plus(settings.removal().passedOver()) : now;
  }

  private MachinePlan retry(Disruption.Committed reboot, BootRequest next, String why) {
    if (next.attempt() > settings.reboot().attempts()) {
      return MachinePlan.of(giveUp(reboot, why));
    }
    Optional<PlannedAction> staged = stage(reboot, next.attempt());
    if (staged.isPresent()) {
      return MachinePlan.of(staged);
    }
    EventDraft event =
        change.eventDraft(
            EventReason.NODE_REBOOT_RETRIED,
            DisruptionChange.number(reboot) + "/" + next.attempt(),
            "Node %s: %s. Attempt %d of %d."
                .formatted(node.name(), why, next.attempt(), settings.reboot().attempts()));
    PlannedAction again = new PlannedAction(List.of(event), request(next), why);
    // A machine that is up may have got Pods meanwhile, which are drained as before the first boot.
    return next.kind().boots() && !host.isRebooting()
        ? new NodeTermination(subject, disruption.commitment(), now, settings)
            .drainFor(reboot, () -> MachinePlan.of(again))
        : MachinePlan.of(again);
  }

  private PlannedAction giveUp(Disruption.Committed reboot, String why) {
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
    return disruption
        .commitment()
        .giveUp(
            reboot,
            Stream.of(eventDraft(EventReason.NODE_REBOOT_FAILED, reboot, text), ofPool).toList(),
            why);
  }

  private EventDraft eventDraft(EventReason reason, Disruption.Committed reboot, String text) {
    return change.eventDraft(reason, DisruptionChange.number(reboot), text);
  }
}
