package io.nodepool.model.node;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.health.NeededRepairs;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/**
 * A Host that a pool holds, with its Node.
 *
 * @param node the Node of the Host's current tenancy
 * @param workload the workload of that Node
 * @param underWay the operation on the Host that is not answered yet
 * @param waiting the step that the operator awaits; empty once the member is registered or being
 *     removed
 * @param findings what this operator process found out about it
 * @param cordoning whether a write that cordons its Node is not answered yet
 * @param passedOver until when its Node is not chosen again; empty if that time was over when this
 *     record was made
 */
public record Member(
    Host host,
    Optional<Node> node,
    Workload workload,
    Optional<HostOperation> underWay,
    Optional<Waiting> waiting,
    Findings findings,
    boolean cordoning,
    Optional<Instant> passedOver) {
  /** How often a rollout asks a machine to boot a configuration. */
  public static final int MOST_BOOTS = 3;

  /**
   * What this operator process found out about a machine; lost when the process ends.
   *
   * @param trouble why the last writes of its disruption failed; empty if they did not
   * @param frozen why no action is taken on it: its stored state cannot be read
   * @param refusal the API server's response if it denies what the pool's spec defines for its Node
   * @param liveRead the result of a live read, if its Node is not known
   * @param staging why the last write to stage a configuration failed; empty if it did not fail
   * @param registered whether its Node was observed to be registered
   * @param needed what the alerts about the machine ask to be done
   * @param hold why the machine is held; empty if it is not
   * @param mayStillRun whether it may run although its fleet reports that it stopped or failed
   */
  @RecordBuilder
  public record Findings(
      Optional<Trouble> trouble,
      Optional<String> frozen,
      Optional<String> refusal,
      Optional<LiveRead> liveRead,
      Optional<String> staging,
      boolean registered,
      NeededRepairs needed,
      Optional<Host.Hold> hold,
      boolean mayStillRun)
      implements MemberFindingsCopy.With {
    /** No findings. */
    public static final Findings NONE =
        new Findings(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            false,
            NeededRepairs.NONE,
            Optional.empty(),
            false);
  }

  /**
   * Why the last writes of a disruption failed.
   *
   * @param ofReboot whether the disruption is a reboot or verification, not a removal
   */
  public record Trouble(boolean ofReboot, String why) {}

  /**
   * The step of a machine that the operator awaits, and since when.
   *
   * @param since by this operator's clock; time before it observed the machine does not count
   */
  public record Waiting(Awaited awaited, Instant since) {
    /** How long this operator has been waiting. */
    public Duration watched(Instant now) {
      return Duration.between(since, now);
    }
  }

  /** The steps of a machine that the operator awaits. */
  public enum Awaited {
    /** It is assigned and has to boot. */
    DELIVERY,
    /** It has booted and has to join as a Node that becomes Ready. */
    REGISTRATION,
    /** Its Node had joined, and its fleet reports that it no longer runs. */
    OUTAGE
  }

  /** The UID of the pool that holds its Host. */
  public String poolUid() {
    return host.assignment().map(assignment -> assignment.pool().uid()).orElse("");
  }

  /** Whether the operation under way ends the pool's hold on it. */
  public boolean isBeingGivenBack() {
    return underWay
        .map(operation ->
            switch (operation) {
              case HostOperation.Cancel _, HostOperation.Release _ -> true;
              case HostOperation.Assign _,
                  HostOperation.Stop _,
                  HostOperation.Preserve _,
                  HostOperation.Delivered _,
                  HostOperation.ClearFailures _,
                  HostOperation.Boot _,
                  HostOperation.DropBoot _,
                  HostOperation.RepairComponent _,
                  HostOperation.Note _,
                  HostOperation.Stage _ ->
                  false;
            })
        .orElse(false);
  }

  /**
   * Whether it is being removed from the pool irrevocably: drained, stopped, being given back, or
   * admitted for a cause other than the pool's size, or about to be preempted (decision D71). It
   * counts until it is removed, but not among the members that stay.
   */
  public boolean isTerminating() {
    return isBeingGivenBack()
        || host.power() == Host.Power.OFF
        || node.filter(Node::isDraining).isPresent()
        || revocable()
            .filter(active ->
                active.causesNotOfSize().stream()
                    .anyMatch(cause -> cause.leaves() && !isHeld(cause)))
            .isPresent()
        || host.preemption().isPresent()
        || underWay.filter(HostOperation.Stop.class::isInstance).isPresent();
  }

  /** Whether the pool holds the alert of this cause, so that the Node may never leave for it. */
  private boolean isHeld(Disruption.Cause cause) {
    return cause
        .what()
        .repaired()
        .filter(repair -> findings.needed().isHeld(repair.alert()))
        .isPresent();
  }

  /** The disruption by which its Node leaves, while its leaving may still be withdrawn. */
  public Optional<Disruption.Active> revocable() {
    return disruption().filter(active -> active.leaves() && active.isRevocable());
  }

  /**
   * Whether tenants cannot use it, for whatever cause (decision D68). It is in delivery, failed,
   * rebooting or about to leave; or its Node is not Ready, is cordoned or about to be, is
   * disrupted, or is in another state than production. A member that cannot be read counts too.
   */
  public boolean isUnavailable() {
    return cordoning
        || isFrozen()
        || isTerminating()
        || !host.is(HostPhase.RUNNING)
        || host.isRebooting()
        || node.filter(Node::isAvailable).isEmpty();
  }

  /** Whether a rollout of its pool disrupts its Node. */
  public boolean isRollingOut() {
    return disruption().filter(active -> !active.turns().isEmpty()).isPresent();
  }

  /** Whether its Pods or its CWActive show that its Node is busy; otherwise the Node is idle. */
  public boolean isBusy() {
    return workload.isBusy() || node.filter(Node::isReportedActive).isPresent();
  }

  /** Until when its Node is not chosen again; empty if it may be chosen now. */
  public Optional<Instant> passedOverUntil(Instant now) {
    return passedOver.filter(until -> until.isAfter(now));
  }

  /** Whether its Node is registered and not being removed. */
  public boolean isStanding() {
    return isCurrent() && !isTerminating();
  }

  /**
   * Whether a rollout may disrupt its Node, if the Node is idle, not passed over, and not up to
   * date. The pool does not choose to reboot a Node that another client cordoned (decision D155).
   */
  public boolean mayHaveTurn() {
    return isUndisrupted() && !isCordoned() && !isMachineHeld();
  }

  /** Whether a rollout could disrupt its Node, if another client had not cordoned it. */
  public boolean waitsForUncordon() {
    return isUndisrupted() && isCordoned();
  }

  /** Whether a rollout could disrupt its Node, if nothing held its machine. */
  public boolean waitsForMachine() {
    return isUndisrupted() && !isCordoned() && isMachineHeld();
  }

  /** Whether its machine is held. */
  public boolean isMachineHeld() {
    return findings.hold().isPresent();
  }

  /**
   * Whether its assignment can be cancelled: its machine has not booted. A machine with a Node may
   * have booted, whatever its fleet reports.
   */
  public boolean isBooting() {
    return host.isBooting() && node.isEmpty();
  }

  /**
   * Whether its machine must be off and may still run: a person has to confirm that it cannot run.
   */
  public boolean isToBeFenced() {
    return host.power() == Host.Power.OFF && findings.mayStillRun();
  }

  private boolean isCordoned() {
    return node.filter(Node::cordoned).isPresent();
  }

  private boolean isUndisrupted() {
    return isStanding()
        && !isFrozen()
        && !cordoning
        && host.is(HostPhase.RUNNING)
        && host.power() == Host.Power.ON
        && disruption().isEmpty();
  }

  /** The turn of its Node in a rollout, as text, while it can be taken back; empty otherwise. */
  public Optional<String> revocableTurn() {
    return isFrozen()
        ? Optional.empty()
        : disruption()
            .flatMap(Disruption::admission)
            .map(admitted -> String.join(" ", admitted.turns()))
            .filter(turns -> !turns.isEmpty());
  }

  /** When the current boot of its registered Node began; empty while a disruption is committed. */
  public Optional<Instant> bootBegunAt() {
    if (!isCurrent() || node.filter(Node::isCommitted).isPresent()) {
      return Optional.empty();
    }
    Optional<Instant> rebooted =
        host.report()
            .boot()
            .at()
            .flatMap(_ -> host.boot())
            .filter(request -> request.kind().boots())
            .map(BootRequest::at);
    return rebooted.or(() -> host.assignment().map(Assignment::at));
  }

  /** The disruption of its Node that is under way. */
  public Optional<Disruption.Active> disruption() {
    return node.flatMap(Node::activeDisruption);
  }

  /** The reboot from which its machine did not come back; empty if none failed. */
  public Optional<String> failedReboot() {
    return node.flatMap(Node::failedReboot);
  }

  /** Whether its machine did not come back from its reboot, and its Node does not leave yet. */
  public boolean isLost() {
    return failedReboot().isPresent() && node.filter(Node::isDraining).isEmpty();
  }

  /** When its Node's last reboot or verification ended; empty while another one is under way. */
  public Optional<Instant> backAt() {
    return node.flatMap(each -> host.boot().flatMap(each::endedAt))
        .filter(_ -> !host.isUnverified());
  }

  /** Whether an attempt to reboot its machine failed, in a reboot under way. */
  public boolean isRebootRetried() {
    return node.filter(Node::isCommitted).isPresent()
        && host.boot()
            .filter(request -> request.attempt() > 1 || host.is(HostPhase.FAILED))
            .isPresent();
  }

  /** Whether its machine did not boot a configuration after {@link #MOST_BOOTS} requests. */
  public boolean hasExhaustedBoots() {
    Instant since = host.assignment().map(Assignment::at).orElse(Instant.MAX);
    return isStanding()
        && host.boot()
            .filter(request ->
                request.askedAtLeast(MOST_BOOTS, since).stream()
                    .anyMatch(asked -> !asked.equals(host.report().bootedConfiguration())))
            .isPresent();
  }

  /** Why the last writes of its disruption failed; empty if they did not. */
  public Optional<String> trouble() {
    return findings.trouble().map(Trouble::why);
  }

  /** Whether the last writes failed: of its reboot or verification, else of its removal. */
  public boolean isTroubled(boolean ofReboot) {
    return findings.trouble().filter(each -> each.ofReboot() == ofReboot).isPresent();
  }

  /** Whether its stored state cannot be read, so that no action is taken on it. */
  public boolean isFrozen() {
    return findings.frozen().isPresent();
  }

  /**
   * What its disruption counts as, by the strongest of the causes; a Node that still exists
   * although its machine must be off counts as a removal. Empty if there is no disruption.
   */
  public Optional<CauseRule.CountsAs> disruptedAs() {
    boolean leaves = disruption().filter(Disruption.Active::leaves).isPresent();
    if (!leaves && isCurrent() && host.power() == Host.Power.OFF) {
      return Optional.of(CauseRule.CountsAs.REMOVAL);
    }
    return disruption()
        .flatMap(active ->
            active.causes().stream()
                .map(cause -> cause.rule().countsAs())
                .min(Comparator.naturalOrder()));
  }

  /** The disruption by which its pool removes its Node; a preemption alone is no removal (D71). */
  public Optional<Disruption.Active> removal() {
    return disruption().filter(Disruption.Active::isRemoval);
  }

  /** Whether its pool removes its Node, or the Node exists although its machine must be off. */
  public boolean isBeingRemoved() {
    return disruptedAs().filter(CauseRule.CountsAs.REMOVAL::equals).isPresent();
  }

  /** Whether its Node is draining with this reason, to be removed by its pool. */
  public boolean isRemovedAt(NodeRemovalReason reason) {
    return isBeingRemoved()
        && node.filter(Node::isDraining)
            .flatMap(Node::removing)
            .filter(removing -> removing.reason() == reason)
            .isPresent();
  }

  /** Whether the operator awaits this step of it. */
  public boolean isAwaited(Awaited awaited) {
    return waiting.isPresent() && waiting.get().awaited() == awaited;
  }

  /**
   * Whether it counts in currentNodes: registered, until its Node object is deleted (decision D2).
   */
  public boolean isCurrent() {
    return node.isPresent() && node.get().registered();
  }

  /** Whether its Node is registered, or was before another client removed its conditions. */
  public boolean wasRegistered() {
    return isCurrent() || findings.registered();
  }

  /** Whether it counts in inProgress: assigned, not registered, and not stopped (decision D2). */
  public boolean isInProgress() {
    return !isCurrent() && !host.is(HostPhase.STOPPED);
  }
}
