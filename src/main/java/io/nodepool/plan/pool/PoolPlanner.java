package io.nodepool.plan.pool;

import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.PoolStatus.NodeCounts;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.repair.Repairs;
import io.nodepool.plan.report.OldestConditions;
import io.nodepool.plan.report.PoolReport;
import io.nodepool.plan.report.StatusSummary;
import io.nodepool.plan.rollout.Rollout;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
    PoolPlan summed =
        plan.withStatus(
            plan.status().withSummary(new StatusSummary(current.pool(), plan.status()).first()));
    return switch (settings.generation()) {
      case CURRENT -> summed;
      case OLDEST -> new OldestConditions(catalogue).beside(summed, seen, now);
    };
  }

  /**
   * The verdicts on all booted Nodes of a pool in the order of removal, at its target or while it
   * is being deleted.
   */
  public List<ScaleDownCandidates.Ordered> removalOrder(PoolSnapshot seen, Instant now) {
    Pool pool = seen.pool();
    return pool.isTerminating()
        ? ScaleDown.order(seen, 0, 1, now)
        : ScaleDown.order(seen, pool.spec().target(), rackSize(pool), now);
  }

  /**
   * The Nodes that have not booted into a configuration, in the order of their turns in a rollout,
   * and the state of each.
   */
  public List<Rollout.Turn> rolloutOrder(
      PoolSnapshot seen, ConfigurationState configuration, Instant now) {
    return Rollout.order(seen, configuration, now);
  }

  private PoolPlan planActive(PoolSnapshot seen, Instant now) {
    Validation.Validity validity = new Validation(catalogue).check(seen);
    return new ActivePool(
            seen, validity, hasGpus(seen.pool()), rackSize(seen.pool()), now, settings)
        .plan();
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
            FailedReboots.NONE,
            Repairs.ofTerminating(seen, now, settings.speed()),
            pool.status().configuration(),
            pool.status().nodeMetadata(),
            Optional.empty(),
            conditions,
            PoolReport.events(seen, conditions),
            Optional.empty());
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
  static void addBeside(List<PlannedAction> plannedActions, List<PlannedAction> more) {
    List<Action.Subject> subjects =
        plannedActions.stream().map(planned -> planned.action().subject()).toList();
    more.stream()
        .filter(planned -> !subjects.contains(planned.action().subject()))
        .forEach(plannedActions::add);
  }

  private boolean hasGpus(Pool pool) {
    return catalogue.find(pool.spec().instanceType()).filter(InstanceType::isGpu).isPresent();
  }

  private int rackSize(Pool pool) {
    return catalogue.find(pool.spec().instanceType()).map(InstanceType::rackSize).orElse(0);
  }
}
