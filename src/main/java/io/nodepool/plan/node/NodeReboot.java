package io.nodepool.plan.node;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.configuration.Staging;
import io.nodepool.plan.disruption.RepairAttempts;
import io.nodepool.plan.disruption.cause.AlertVerificationCause;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.plan.disruption.cause.RepairCause;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A Node whose disruption is committed to a reboot: it is drained, its machine is asked to be on
 * another boot, and the Node returns to production when that boot is verified (contract §12). An
 * attempt that fails is repeated; after the last one the Node leaves and its Host is set aside
 * (decision D146). Each step can be read from the Node's record and the Host's request.
 */
record NodeReboot(
    DisruptedNode subject,
    MachineSnapshot seen,
    NodeDisruption disruption,
    Disruption.Committed reboot) {
  /** A Node whose reboot could not be requested is passed over this many times longer. */
  private static final int UNMET_FACTOR = 5;

  private Host host() {
    return seen.host();
  }

  private LostMachine lost() {
    return new LostMachine(subject, seen, disruption, reboot);
  }

  /** The next step; causes to leave that were added meanwhile go first. */
  MachinePlan next() {
    return switch (disruption.next(reboot)) {
      case RecordChange.Keep(Optional<Instant> until) -> goOn().or(until);
      case RecordChange.Step(MachinePlan plan) -> plan;
    };
  }

  private MachinePlan goOn() {
    return RebootRequest.asked(host(), subject.node(), reboot)
        .map(request -> booting(request))
        .or(() -> unmet().map(MachinePlan::of))
        .orElseGet(() -> drained(this::boot));
  }

  private MachinePlan drained(Supplier<MachinePlan> next) {
    return new NodeTermination(subject, disruption, reboot).drainFor(next);
  }

  /** The drained Node goes into the state of its reboot, and then its machine is booted. */
  private MachinePlan boot() {
    if (isHeld()) {
      return MachinePlan.NOTHING;
    }
    LifecycleState state = RebootRequest.stateOf(reboot.causes());
    if (!subject.node().metadata().label(NodeLabels.STATE).equals(state.word())) {
      return MachinePlan.of(subject.record().enter(reboot, NodeDeletion.cutOff(subject.pods())));
    }
    BootRequest next =
        RebootRequest.asked(host(), subject.node(), reboot)
            .map(verification -> notVerified(verification).withKind(kind()))
            .orElseGet(() ->
                BootRequest.first(
                        host().report().bootId(),
                        kind(),
                        subject.node().operation(reboot),
                        subject.now(),
                        host().boot())
                    .withAlert(
                        AlertVerificationCause.verifiedFor(reboot)
                            .orElseGet(() -> RepairCause.repairedBy(reboot))));
    return MachinePlan.of(request(next, stage(1), List.of(), reboot.text()));
  }

  /**
   * The end of a reboot that cannot be requested: the fleet does not offer it any more, or the API
   * server has refused the request since the Node entered its state, which is the decision. Empty
   * if it can be requested, and for a Node that leaves anyway. A rollout waits for the offer by
   * itself; after a refusal the Node has no other turn in it (decision D209).
   */
  private Optional<PlannedAction> unmet() {
    if (reboot.leaves() && !reboot.isVerification()) {
      return Optional.empty();
    }
    BootKind kind = kind();
    if (seen.offer().filter(offer -> !offer.capabilities().offers(kind)).isPresent()) {
      return Optional.of(end("", "the fleet does not offer %s any more".formatted(kind.word())));
    }
    Duration deadline = subject.settings().reboot().bootDeadline();
    return late(deadline).isEmpty()
        ? seen.evidence()
            .boot()
            .refused()
            .map(why ->
                "it could not be requested within %s: %s"
                    .formatted(Messages.duration(deadline), why))
            .map(why -> end(turns().findFirst().orElse(""), why))
        : Optional.empty();
  }

  /** The configurations that the machine must boot in turns of rollouts. */
  private Stream<String> turns() {
    return reboot.causes().stream().flatMap(cause -> cause.what().turn().stream());
  }

  /**
   * The Node returns to production without its reboot; a rollout passes it over for a while.
   *
   * @param unmet the configuration of the turn that is not repeated; else empty text
   */
  private PlannedAction end(String unmet, String why) {
    EventDraft refused =
        subject
            .events()
            .ofNode(
                EventReason.NODE_REQUEST_REFUSED,
                reboot,
                "Node %s is not rebooted: %s. It is back in production."
                    .formatted(subject.node().name(), why));
    Instant until =
        subject.now().plus(subject.settings().removal().passedOver().multipliedBy(UNMET_FACTOR));
    return subject
        .record()
        .end(reboot, reboot.ended(subject.now(), until).withUnmet(unmet), refused, why);
  }

  /**
   * The configuration to stage for an attempt, if the Node is reconfigured. Other reboots boot the
   * staged configuration, unless it may be broken.
   */
  private Optional<Staging.Staged> stage(int attempt) {
    int attempts = subject.settings().reboot().attempts();
    boolean last = attempts > 1 && attempt >= attempts;
    boolean reconfigures = RebootRequest.stateOf(reboot.causes()) == LifecycleState.RECONFIGURE;
    return kind().boots()
        ? seen.pool()
            .flatMap(pool ->
                reconfigures
                    ? Staging.forReconfiguration(host(), subject.node(), pool, last)
                    : Staging.forReboot(
                        host(), subject.node(), pool, attempt == 1 || host().isRebooting(), last))
        : Optional.empty();
  }

  private BootKind kind() {
    return reboot.limits().boot().orElse(BootKind.VERIFICATION);
  }

  /** The request to boot the machine, with its staged configuration, after these Events. */
  private PlannedAction request(
      BootRequest request, Optional<Staging.Staged> staged, List<EventDraft> events, String why) {
    Optional<HostOperation.Stage> stage = staged.map(Staging.Staged::stage);
    String configuration =
        stage.map(HostOperation.Stage::configuration).orElse(host().configuration());
    BootRequest next = request.withConfiguration(request.kind().boots() ? configuration : "");
    return new PlannedAction(
        Stream.concat(staged.stream().flatMap(each -> each.events().stream()), events.stream())
            .toList(),
        new Action.OnHost(
            new HostOperation.Boot(host().id(), host().tenancy(), subject.pool(), next, stage)),
        why);
  }

  /**
   * Whether nothing may be requested of the machine: the attempt waits, and its time starts when
   * the hold ends.
   */
  private boolean isHeld() {
    return host().hold(subject.now()).isPresent();
  }

  /** The machine was asked to boot: it boots, is verified, or is late. */
  private MachinePlan booting(BootRequest request) {
    if (!subject.node().cordoned()) {
      return MachinePlan.of(subject.record().cordonAgain(reboot, reboot));
    }
    if (host().is(HostPhase.FAILED)) {
      return lost().giveUp(LostMachine.FAILED);
    }
    if (kind().boots() && request.isAlertVerification()) {
      // It was verified first, and is repaired now.
      return drained(this::boot);
    }
    if (lost().isDue()
        && (host().isRebooting()
            || verification(request).byFleet().filter(each -> each).isEmpty())) {
      return lost().giveUp();
    }
    if (host().isRebooting()) {
      return late(subject.settings().reboot().bootDeadline())
          .orElseGet(() ->
              retry(
                  request.again(request.from(), subject.now(), BootRequest.Outcome.NOT_BOOTED),
                  LostMachine.notBooted(subject.settings())));
    }
    return verification(request)
        .byFleet()
        .map(passed ->
            passed ? passed(request) : retry(notVerified(request), LostMachine.NOT_VERIFIED))
        .or(() -> late(subject.settings().reboot().wholeDeadline()))
        .orElseGet(() -> retry(notVerified(request), LostMachine.notVerified(subject.settings())));
  }

  private BootRequest notVerified(BootRequest request) {
    return request.again(host().report().bootId(), subject.now(), BootRequest.Outcome.NOT_VERIFIED);
  }

  /**
   * The wait for an attempt; empty if it is late. Time in which no operator watched does not count.
   */
  private Optional<MachinePlan> late(Duration deadline) {
    Instant due = seen.evidence().boot().seen().orElse(subject.now()).plus(deadline);
    return subject.now().isBefore(due) ? Optional.of(MachinePlan.waiting(due)) : Optional.empty();
  }

  private BootVerification verification(BootRequest request) {
    return new BootVerification(seen, subject.node(), request, subject.now(), subject.settings());
  }

  /** The machine passed the verification of its fleet; the Job of its pool may follow. */
  private MachinePlan passed(BootRequest request) {
    return switch (verification(request).byJob()) {
      case BootVerification.Job.Passed(String said) -> back(said);
      case BootVerification.Job.Failed(String why) -> retry(notVerified(request), why);
      case BootVerification.Job.Waiting(Instant until) -> MachinePlan.waiting(until);
      case BootVerification.Job.Step step -> {
        List<EventDraft> events = new ArrayList<>();
        step.trouble()
            .map(each -> subject.events().jobRefused(reboot, each))
            .ifPresent(events::add);
        if (step.action() instanceof Action.RunJob run && step.gone() > 0) {
          events.add(subject.events().jobLost(reboot, run, step.gone()));
        }
        yield MachinePlan.of(new PlannedAction(events, step.action(), BootVerification.REPAIRED));
      }
    };
  }

  /**
   * The machine is back: the Node returns to production, unless it is about to leave. A repair
   * waits here only for the result of a verification for its alert; otherwise it begins anew.
   */
  private MachinePlan back(String said) {
    boolean isVerified = AlertVerificationCause.verifiedFor(reboot).isPresent();
    boolean leaves = isVerified ? reboot.leaves() : leavesForOtherCause();
    if (leaves || !lost().isAcknowledged()) {
      return MachinePlan.NOTHING;
    }
    String why =
        kind().boots()
            ? "it is on another boot" + said
            : said.isEmpty() ? "its fleet does not verify" : "it is verified";
    Optional<String> wanted = seen.pool().map(pool -> pool.status().nodeProfile());
    EventDraft event = subject.events().back(reboot, host(), kind(), wanted, said);
    return end(until(), event, why);
  }

  /** Whether the Node leaves for another cause than a repair. */
  private boolean leavesForOtherCause() {
    return reboot.causes().stream().anyMatch(cause -> cause.leaves() && !cause.what().isRepair());
  }

  private MachinePlan end(Instant until, EventDraft announced, String why) {
    return MachinePlan.of(
        subject.record().end(reboot, reboot.ended(subject.now(), until), announced, why));
  }

  /**
   * Until when the Node is not chosen again: if it did not boot into the configuration for which a
   * rollout chose it, another attempt at once would end the same way.
   */
  private Instant until() {
    boolean missed =
        turns().anyMatch(profile -> !profile.equals(host().report().bootedConfiguration()));
    return missed ? subject.passedOver() : subject.now();
  }

  /** Whether no attempt may follow; a repair's boot is not repeated while it may still come. */
  private boolean isLast(BootRequest next) {
    return next.isRepair()
        ? host().isRebooting()
            || RepairAttempts.isExhausted(host(), subject.now(), subject.settings())
        : next.attempt() > subject.settings().reboot().attempts();
  }

  /**
   * A machine that does not pass the verification for an alert stays cordoned until its pool
   * permits the repair, if that is still demanded: another verification would show nothing new. A
   * late verification showed nothing: while the alert is in doubt, the Node is back in production.
   */
  private MachinePlan unverified(String alert, String why) {
    boolean answered = host().isProvedFaulty(alert);
    boolean isHeld = seen.pool().filter(pool -> pool.repairs().isHeld(alert)).isPresent();
    boolean isDemanded =
        subject.demands().own().stream().anyMatch(cause -> cause.what().isRepair());
    if (leavesForOtherCause() || (isDemanded && (answered || !isHeld))) {
      return MachinePlan.NOTHING;
    }
    Instant until = answered ? subject.now() : subject.passedOver();
    EventDraft event = subject.events().notVerified(reboot, alert, why, "It is back in production");
    return end(until, event, why);
  }

  private MachinePlan retry(BootRequest next, String why) {
    if (isHeld()) {
      return MachinePlan.NOTHING;
    }
    Optional<String> suspected = AlertVerificationCause.verifiedFor(reboot);
    if (suspected.isPresent()) {
      return unverified(suspected.get(), why);
    }
    if (isLast(next)) {
      return lost().giveUp(why);
    }
    PlanSettings.RebootSettings times = subject.settings().reboot();
    Optional<String> refused =
        seen.evidence()
            .boot()
            .refused()
            .filter(_ -> late(times.wholeDeadline().plus(times.bootDeadline())).isEmpty());
    if (refused.isPresent()) {
      return lost()
          .giveUp("%s, and no other attempt could be requested: %s".formatted(why, refused.get()));
    }
    EventDraft event =
        subject
            .events()
            .retried(reboot, next.bootAttempt(), subject.settings().reboot().attempts(), why);
    PlannedAction again = request(next, stage(next.attempt()), List.of(event), why);
    // A machine that is up may have got Pods meanwhile, which are drained as before the first boot.
    return next.kind().boots() && !host().isRebooting()
        ? drained(() -> MachinePlan.of(again))
        : MachinePlan.of(again);
  }
}
