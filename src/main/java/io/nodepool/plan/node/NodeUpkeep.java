package io.nodepool.plan.node;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.Node;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.configuration.Staging;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.RebootConsent;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.plan.health.HealthReport;
import io.nodepool.plan.metadata.Metadata;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.RegistrationReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Keeps a Node with a running machine up to date while no other step is due: its metadata, the next
 * boot of its machine, its registration and its reports. Pure.
 *
 * @param kind the taint of its instance type
 */
record NodeUpkeep(
    MachineSnapshot seen,
    Node node,
    PoolId pool,
    Optional<Taint> kind,
    Instant now,
    PlanSettings settings) {
  /** The taint that Kubernetes sets on a cordoned Node and removes when it is uncordoned. */
  private static final String UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

  /** How long metadata waits for Kubernetes to remove that taint. */
  private static final Duration UNTAINTED_WITHIN = Duration.ofSeconds(5);

  /** The greatest age of a change that an operator announces without having observed it. */
  private static final Duration ANNOUNCED_WITHIN = Duration.ofMinutes(10);

  /** How long a Node may take to become Ready before CWRegistered reports that it is not. */
  private static final Duration NOT_READY_SAID_AFTER = Duration.ofMinutes(1);

  /** This plan, or the upkeep of a Node whose disruption goes on if the plan has no step. */
  MachinePlan unless(MachinePlan plan) {
    return plan.plannedActions().isEmpty()
        ? MachinePlan.of(during())
            .or(plan.wakeup())
            .or(seen.health().changesAt().filter(now::isBefore))
        : plan;
  }

  /** The disruption that the objects demand of a Node without a disruption, or its upkeep. */
  MachinePlan admit(NodeDisruption disruption) {
    Optional<PlannedAction> admitted =
        RemovalRequest.drop(node, pool, now)
            .or(lifecycle()::ofRequest)
            .or(disruption::admit)
            .or(() -> consent().step(node));
    if (admitted.isPresent()) {
      return MachinePlan.of(admitted);
    }
    if (seen.pool().isEmpty()) {
      return seen.evidence().ownerGone() ? MachinePlan.NOTHING : MachinePlan.of(confirmPool(pool));
    }
    Optional<Instant> untainted = untaintedUntil().filter(_ -> metadata().isPresent());
    if (untainted.isPresent()) {
      return MachinePlan.waiting(untainted.get());
    }
    return MachinePlan.of(
            dropBoot()
                .or(() ->
                    PlannedAction.reportRemoval(node, Optional.empty(), "it is not being removed"))
                .or(this::metadata)
                .or(this::stage)
                .or(() -> RemovalRequest.record(node, pool, now))
                .or(this::report))
        .or(lifecycle().wakeup())
        .or(seen.health().changesAt().filter(now::isBefore))
        .or(notReadyAt().filter(now::isBefore));
  }

  private LifecycleReport lifecycle() {
    return new LifecycleReport(seen, node, now, settings);
  }

  /** The upkeep of a Node with a disruption. */
  private Optional<PlannedAction> during() {
    // The commitment itself confirms a cause that is recorded as immediate.
    Optional<PlannedAction> consented =
        consent() instanceof RebootConsent.Unread && isImmediate()
            ? Optional.empty()
            : consent().step(node);
    if (consented.isPresent()) {
      return consented;
    }
    if (seen.pool().isPresent()) {
      return metadata().or(() -> node.isCommitted() ? Optional.empty() : stage()).or(this::report);
    }
    // A preempted or rebooting Node may be an orphan too, and then leaves for both causes.
    return node.activeDisruption()
        .filter(active -> !active.isRemoval())
        .filter(_ -> !seen.evidence().ownerGone())
        .map(_ -> confirmPool(pool));
  }

  /**
   * A pool that the watch does not show may still exist: only a live read shows that it does not.
   */
  static PlannedAction confirmPool(PoolId pool) {
    return PlannedAction.quiet(
        new Action.Confirm(new Action.Subject.OfPool(pool)), "its NodePool was not observed");
  }

  /** The meaning of the annotation that makes a request immediate. */
  RebootConsent consent() {
    return RebootConsent.of(node, seen.evidence().requested(), now, settings);
  }

  private boolean isImmediate() {
    return node.activeDisruption().stream()
        .flatMap(active -> active.causes().stream())
        .anyMatch(cause -> KnownCause.of(cause).isImmediate());
  }

  /**
   * Takes back the requested boot of a reboot whose record another client removed, alone or with
   * its Node: the fleet would boot the machine under the work of a Node in production. A boot that
   * has begun goes on.
   */
  private Optional<PlannedAction> dropBoot() {
    Host host = seen.host();
    return host.boot()
        .filter(request -> host.isRebooting() && RebootRequest.isOfRecord(request))
        .filter(_ -> host.report().boot().cycle().isEmpty())
        .map(request ->
            PlannedAction.quiet(
                new Action.OnHost(
                    new HostOperation.DropBoot(host.id(), host.tenancy(), pool, request)),
                "its reboot is recorded no more"));
  }

  private Optional<PlannedAction> metadata() {
    return Metadata.follow(seen, node, NodeActivity.of(seen, node, now).active(), kind);
  }

  /**
   * Until when metadata and later reports wait after a disruption that ended with its cordon.
   * Kubernetes changes the taints at that moment, so another change of them is refused.
   */
  private Optional<Instant> untaintedUntil() {
    return node.passedOver()
        .filter(_ -> !node.cordoned())
        .filter(_ -> node.metadata().taints().stream().anyMatch(t -> t.key().equals(UNSCHEDULABLE)))
        .map(passed -> passed.at().plus(UNTAINTED_WITHIN))
        .filter(now::isBefore);
  }

  /** Stages the next configuration of a registered Node, unless its machine is about to boot. */
  private Optional<PlannedAction> stage() {
    return seen.pool()
        .filter(_ -> node.registered() && seen.host().is(HostPhase.RUNNING))
        .flatMap(pool -> Staging.atRest(seen.host(), node, pool));
  }

  private Optional<PlannedAction> report() {
    return activity().or(lifecycle()::next).or(() -> HealthReport.of(seen.health(), node));
  }

  /** Registers the Node once its metadata is applied (decision D2), or reports its activity. */
  private Optional<PlannedAction> activity() {
    Host host = seen.host();
    Node.Activity activity = NodeActivity.of(seen, node, now);
    boolean metadataKnown =
        seen.pool().orElseThrow().isTerminating() || seen.metadata().isPresent();
    boolean register = !node.registered();
    if (register && !(node.ready() && metadataKnown && host.is(HostPhase.RUNNING))) {
      return notReady();
    }
    if (!register && node.activity().equals(Optional.of(activity))) {
      return clearFailures(host);
    }
    ConditionChange active = ConditionChange.active(node, activity);
    if (!register) {
      return Optional.of(
          PlannedAction.quiet(report(List.of(active)), activity.active() ? "active" : "idle"));
    }
    return Optional.of(
        PlannedAction.quiet(
            report(List.of(ConditionChange.registered(), active)), "Ready for the first time"));
  }

  /**
   * This plan, after the Events that the Node is registered or staged. Events follow their writes,
   * so that none announces a denied write. Another operator emits the Events of the last minutes
   * again, under their names.
   */
  MachinePlan announced(MachinePlan plan) {
    return Stream.concat(registration().stream(), staging().stream())
        .filter(event ->
            !event.occasion().equals(seen.evidence().announcements().last().get(event.reason())))
        .findFirst()
        .map(event ->
            plan.after(
                new PlannedAction(
                    List.of(event),
                    new Action.Announce(
                        new Action.Subject.OfNode(node.name(), node.uid()),
                        event.reason(),
                        event.occasion()),
                    "it is done")))
        .orElse(plan);
  }

  private boolean isRecent(Instant since) {
    return since.isAfter(now.minus(ANNOUNCED_WITHIN));
  }

  private Optional<EventDraft> registration() {
    return node.status()
        .condition(NodeCondition.REGISTERED)
        .filter(entry ->
            entry.status()
                && (seen.evidence().announcements().registers() || isRecent(entry.since())))
        .map(_ ->
            new EventDraft(
                EventReason.NODE_REGISTERED,
                EventDraft.Regarding.of(node),
                "registered",
                "Node %s is registered in NodePool %s.".formatted(node.name(), pool.name())));
  }

  /** A rollout stages directly before it boots, however long its configuration is active. */
  private Optional<EventDraft> staging() {
    return seen.pool()
        .filter(each ->
            node.isCommitted()
                || isRecent(seen.evidence().announcements().stagedSince())
                || each.status()
                    .configuration()
                    .active()
                    .filter(active -> isRecent(active.activatedAt()))
                    .isPresent())
        .filter(_ -> node.registered())
        .flatMap(each -> Staging.staged(seen.host(), node, each));
  }

  /**
   * When the Node reports that it is not registered because it is not Ready; empty if it is Ready,
   * or reports that already. A Node that becomes Ready soon costs no write.
   */
  private Optional<Instant> notReadyAt() {
    boolean said = node.status().notRegistered().equals(RegistrationReason.NOT_READY.word());
    return node.status()
        .notReadySince()
        .filter(_ -> !node.registered() && !said)
        .map(since -> since.plus(NOT_READY_SAID_AFTER));
  }

  /** Reports why the Node is not registered, if it is not Ready. */
  private Optional<PlannedAction> notReady() {
    return notReadyAt()
        .filter(at -> !now.isBefore(at))
        .map(at ->
            PlannedAction.quiet(
                report(
                    List.of(
                        ConditionChange.notRegistered(
                            node,
                            RegistrationReason.NOT_READY,
                            "The Node is not Ready since %s."
                                .formatted(Messages.instant(at.minus(NOT_READY_SAID_AFTER)))))),
                "it is not Ready"));
  }

  private Action report(List<ConditionChange> conditions) {
    return Action.WriteNode.report(node, NodePurpose.REPORT_ACTIVITY, conditions);
  }

  /** Clears the recorded delivery failures of a Host whose Node registered. */
  private Optional<PlannedAction> clearFailures(Host host) {
    return host.deliveries()
        .failure()
        .map(failure ->
            PlannedAction.quiet(
                new Action.OnHost(new HostOperation.Delivered(host.id(), host.tenancy(), pool)),
                "it registered after " + Messages.count(failure.count(), "failure")));
  }
}
