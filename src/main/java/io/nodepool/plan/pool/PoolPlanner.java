package io.nodepool.plan.pool;

import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.model.members.Members;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.PoolStatus.NodeCounts;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.Finding;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.configuration.PoolConfiguration;
import io.nodepool.plan.configuration.Reconfiguration;
import io.nodepool.plan.disruption.cause.DisruptionAdmission;
import io.nodepool.plan.node.Delivery;
import io.nodepool.plan.node.NodeAdmission;
import io.nodepool.plan.repair.LostNodes;
import io.nodepool.plan.repair.RepairLimits;
import io.nodepool.plan.repair.Repairs;
import io.nodepool.plan.repair.StoppedMachines;
import io.nodepool.plan.report.AssignmentRefusal;
import io.nodepool.plan.report.MissingHosts;
import io.nodepool.plan.report.OldestConditions;
import io.nodepool.plan.report.PoolReport;
import io.nodepool.plan.report.StatusRefusal;
import io.nodepool.plan.rollout.Rollout;
import io.nodepool.plan.rollout.RolloutReport;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Plans a pool: validation, quota, capacity, delivery, configuration, rollout, host scaling and
 * scale-down; or its deletion. Pure: the same snapshot and instant always give the same plan.
 */
public record PoolPlanner(InstanceCatalogue catalogue, PlanSettings settings) {
  /** The plan of the pool in this snapshot, at this instant. */
  public PoolPlan plan(PoolSnapshot seen, Instant now) {
    PoolSnapshot current = OldestConditions.without(seen);
    PoolPlan plan =
        current.pool().isTerminating() ? planTerminating(current, now) : planActive(current, now);
    return switch (settings.generation()) {
      case CURRENT -> plan;
      case OLDEST -> new OldestConditions(catalogue).beside(plan, seen, now);
    };
  }

  private PoolPlan planActive(PoolSnapshot seen, Instant now) {
    Pool pool = seen.pool();
    Validation.Validity ofSpec = new Validation(catalogue).check(seen);
    Optional<String> refusal = NodeAdmission.of(seen, now);
    LostNodes.Outlook lost = LostNodes.plan(seen, now, settings);
    RepairLimits limits = new RepairLimits(seen, lost.next(), now, settings);
    StoppedMachines stopped = StoppedMachines.of(limits);
    int rackSize = rackSize(pool);
    StoppedMachines.Leaving leave = stopped.next(limits, rackSize);
    Delivery.Late late = Delivery.check(seen, refusal.isPresent(), leave.members(), now, settings);
    StoppedMachines.Leaving leaving = leave.among(late.returned());
    PoolConfiguration configuration =
        PoolConfiguration.plan(
            seen, hasGpus(pool), ofSpec.mayGrow(), late.members(), now, settings);
    Validation.Validity validity =
        Validation.withConfiguration(ofSpec, seen, configuration.state());
    int target = pool.spec().target();
    Optional<Growth> requested = request(seen.growth(), target, validity.mayGrow(), now);
    Claim requestedClaim = claim(seen, requested, now);
    Quota.Grant grant =
        validity.isInvalid()
            ? Quota.notComputed(requestedClaim)
            : Quota.check(seen, requestedClaim, settings);
    Optional<Growth> growth =
        requested.map(before ->
            new Growth(
                    before.askedAt(),
                    before.target(),
                    validity.mayGrow() ? grant.granted() : Math.min(before.granted(), target),
                    before.reached())
                .reachedBy(seen.members().count(Members.Trait.CURRENT)));
    Claim own = claim(seen, growth, now);
    Capacity.Supply supply =
        validity.isInvalid() ? Capacity.notComputed() : Capacity.check(seen, own, rackSize);

    Optional<String> refusedAssignments =
        AssignmentRefusal.of(seen, growth.map(Growth::granted).orElse(0));
    List<PlannedAction> plannedActions = new ArrayList<>(late.plannedActions());
    plannedActions.addAll(configuration.plannedActions());
    plannedActions.addAll(HostScaling.excuse(seen));
    DisruptionAdmission admission = DisruptionAdmission.of(seen);
    Rollout.Outlook rollout =
        Rollout.plan(seen, admission, configuration.state(), rackSize, now, settings);
    ConfigurationState nextConfiguration =
        rollout.applied(configuration.state(), pool.status().configuration(), now);
    FirstDeliveries first = FirstDeliveries.of(seen, configuration.state(), rackSize);
    if (validity.mayGrow() && refusal.isEmpty() && pool.guarded()) {
      configuration
          .profileToBoot(seen)
          .ifPresent(profile ->
              addBeside(
                  plannedActions,
                  HostScaling.assign(
                      seen, supply.share().stream().limit(first.room()).toList(), profile, now)));
    }
    plannedActions.addAll(HostScaling.cancel(seen, seen.staying() - target, rackSize));
    ScaleDown.Outlook scaleDown = ScaleDown.plan(seen, admission, target, rackSize, now);
    plannedActions.addAll(scaleDown.plannedActions());
    addBeside(plannedActions, rollout.plannedActions());

    Repairs.Outlook repairs =
        Repairs.plan(leaving.recorded(limits), admission, stopped.without(leaving), rackSize);
    addBeside(plannedActions, repairs.plannedActions());

    NodeCounts counts =
        StatusCounts.of(
            seen, growth, supply.queues() ? Integer.MAX_VALUE : supply.available(), rackSize);
    List<Finding> findings = new ArrayList<>(repairs.held().stream().toList());
    findings.add(validity.finding());
    findings.add(
        refusedAssignments
            .filter(_ -> MissingHosts.of(seen).isEmpty())
            .map(AssignmentRefusal::capacity)
            .orElse(supply.finding()));
    findings.add(grant.finding());
    findings.add(
        HostScaling.atTarget(
            seen,
            counts,
            scaleDown,
            MissingHosts.of(seen).or(() -> refusal).or(() -> refusedAssignments),
            configuration.disabledText().or(() -> first.text(counts.queued()))));
    findings.add(
        Reconfiguration.check(
            seen, configuration.state(), rollout.progress(), configuration.verdict()));
    Map<PoolCondition, Condition> conditions = PoolReport.conditions(seen, now, findings);
    PoolStatus status =
        new PoolStatus(
            pool.generation(),
            counts,
            scaleDown.batch().withFailedReboots(lost.next()).withRepairs(repairs.next()),
            nextConfiguration,
            pool.keepsMetadata() ? pool.status().nodeMetadata() : pool.spec().node().fingerprint(),
            growth,
            conditions,
            PoolReport.events(seen, conditions));
    return new PoolPlan(
        plannedActions,
        status,
        PoolReport.eventDrafts(
            seen,
            status,
            validity.cause(),
            Stream.concat(
                    configuration.reports().stream(),
                    new RolloutReport(seen, nextConfiguration)
                        .events(configuration.state()).stream())
                .toList(),
            now),
        false,
        false,
        Stream.of(
                late.wakeup(),
                stopped.wakeup(),
                supply.wakeup(),
                scaleDown.wakeup(),
                configuration.wakeup(),
                rollout.wakeup(),
                lost.wakeup(),
                repairs.wakeup(),
                StatusRefusal.wakeup(seen, now),
                seen.refusals()
                    .assignments()
                    .map(PoolSnapshot.RefusedAssignments::notBefore)
                    .filter(at -> at.isAfter(now)))
            .flatMap(Optional::stream)
            .min(Instant::compareTo),
        new PlanFigures(seen, rackSize, now)
            .of(own, supply.queues() && counts.queued() > 0, nextConfiguration));
  }

  private PoolPlan planTerminating(PoolSnapshot seen, Instant now) {
    Pool pool = seen.pool();
    List<PlannedAction> plannedActions =
        new ArrayList<>(HostScaling.cancel(seen, seen.staying(), 1));
    DisruptionAdmission admission = DisruptionAdmission.of(seen);
    ScaleDown.Outlook scaleDown = ScaleDown.plan(seen, admission, 0, 1, now);
    plannedActions.addAll(scaleDown.plannedActions());
    addBeside(
        plannedActions,
        Rollout.plan(seen, admission, pool.status().configuration(), rackSize(pool), now, settings)
            .plannedActions());
    boolean empty = seen.held() == 0 && seen.members().preserved().isEmpty();
    boolean complete = empty && (seen.confirmedEmpty() || PoolDeletion.needsNoConfirmation(pool));
    NodeCounts counts = StatusCounts.of(seen, Optional.empty(), 0, rackSize(pool));
    Map<PoolCondition, Condition> conditions =
        PoolReport.keep(
            seen, now, PoolDeletion.pendingDelete(), PoolDeletion.check(seen, scaleDown, complete));
    PoolStatus status =
        new PoolStatus(
            pool.generation(),
            counts,
            scaleDown.batch(),
            pool.status().configuration(),
            pool.status().nodeMetadata(),
            Optional.empty(),
            conditions,
            PoolReport.events(seen, conditions));
    return new PoolPlan(
        plannedActions,
        status,
        PoolReport.eventDrafts(seen, status, Optional.empty(), List.of(), now),
        empty && !complete,
        complete,
        scaleDown.wakeup(),
        PoolPlan.Figures.NONE);
  }

  /** Adds those actions that are about other objects than the planned ones. */
  private static void addBeside(List<PlannedAction> plannedActions, List<PlannedAction> more) {
    List<Action.Subject> subjects =
        plannedActions.stream().map(planned -> planned.action().subject()).toList();
    more.stream()
        .filter(planned -> !subjects.contains(planned.action().subject()))
        .forEach(plannedActions::add);
  }

  /**
   * The growth request for the target: a higher target makes a new request, a lower one keeps its
   * place in the order (D9).
   */
  private static Optional<Growth> request(
      Optional<Growth> before, int target, boolean mayRequest, Instant now) {
    Growth last = before.orElse(new Growth(now, 0, 0, 0));
    if (target > last.target()) {
      return mayRequest
          ? Optional.of(
              new Growth(
                  now.truncatedTo(ChronoUnit.MILLIS), target, last.granted(), last.reached()))
          : before;
    }
    return before.map(_ ->
        new Growth(
            last.askedAt(),
            target,
            Math.min(last.granted(), target),
            Math.min(last.reached(), target)));
  }

  /** The pool's own claim; without a growth request the pool wants no more than it holds. */
  private static Claim claim(PoolSnapshot seen, Optional<Growth> growth, Instant now) {
    Pool pool = seen.pool();
    int target = pool.spec().target();
    int held = seen.held();
    int granted = growth.map(Growth::granted).orElse(0);
    return new Claim(
        pool.id(),
        new Claim.Rank(
            pool.spec().isSpot(), pool.spec().priority(), growth.map(Growth::askedAt).orElse(now)),
        growth.isPresent() ? target : Math.min(target, held),
        granted,
        Math.max(granted, held),
        held,
        pool.spec().affinity());
  }

  private boolean hasGpus(Pool pool) {
    return catalogue.find(pool.spec().instanceType()).filter(InstanceType::isGpu).isPresent();
  }

  private int rackSize(Pool pool) {
    return catalogue.find(pool.spec().instanceType()).map(InstanceType::rackSize).orElse(0);
  }
}
