package io.nodepool.plan.pool;

import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.PoolStatus.NodeCounts;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Finding;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.configuration.PoolConfiguration;
import io.nodepool.plan.configuration.Reconfiguration;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.node.Delivery;
import io.nodepool.plan.node.NodeAdmission;
import io.nodepool.plan.repair.LostNodes;
import io.nodepool.plan.repair.RepairLimits;
import io.nodepool.plan.repair.Repairs;
import io.nodepool.plan.repair.StoppedMachines;
import io.nodepool.plan.report.MissingHosts;
import io.nodepool.plan.report.PoolReport;
import io.nodepool.plan.report.StatusRefusal;
import io.nodepool.plan.rollout.Rollout;
import io.nodepool.plan.rollout.RolloutReport;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The plan of a pool that is not being deleted: the decisions of its concerns, and what follows
 * from all of them. Pure.
 */
final class ActivePool {
  private final PoolSnapshot seen;
  private final Instant now;
  private final int rackSize;
  private final Optional<String> refusal;
  private final LostNodes.Outlook lost;
  private final StoppedMachines stopped;
  private final Delivery.Late late;
  private final PoolConfiguration configuration;
  private final Validation.Validity validity;
  private final PoolGrowth growth;
  private final FirstDeliveries first;
  private final List<PlannedAction> assignments;
  private final Rollout.Outlook rollout;
  private final ConfigurationState nextConfiguration;
  private final ScaleDown.Outlook scaleDown;
  private final Repairs.Outlook repairs;
  private final NodeCounts counts;

  /**
   * @param ofSpec whether the spec is valid, without regard to its configuration
   * @param rackSize the Nodes of a rack, if its type is allocated in racks; otherwise 0
   */
  ActivePool(
      PoolSnapshot seen,
      Validation.Validity ofSpec,
      boolean hasGpus,
      int rackSize,
      Instant now,
      PlanSettings settings) {
    this.seen = seen;
    this.now = now;
    this.rackSize = rackSize;
    this.refusal = NodeAdmission.of(seen, now);
    this.lost = LostNodes.plan(seen, now, settings);
    RepairLimits limits = new RepairLimits(seen, lost.next(), now, settings);
    this.stopped = StoppedMachines.of(limits);
    StoppedMachines.Leaving mayLeave = stopped.next(limits, rackSize);
    this.late = new Delivery(seen, refusal.isPresent(), now, settings).check(mayLeave.members());
    this.configuration =
        PoolConfiguration.plan(seen, hasGpus, ofSpec.mayGrow(), late.members(), now, settings);
    this.validity = Validation.withConfiguration(ofSpec, seen, configuration.state());
    this.growth = PoolGrowth.of(seen, validity, rackSize, now, settings);
    this.first = FirstDeliveries.of(seen, configuration.state(), rackSize);
    DisruptionAdmission admission = DisruptionAdmission.of(seen);
    this.assignments = assignments();
    // A machine that this plan assigns takes the place of a Node's turn already.
    this.rollout =
        Rollout.plan(
            seen.assigning(assignments.size()),
            admission,
            configuration.state(),
            rackSize,
            now,
            settings);
    this.nextConfiguration =
        rollout.applied(configuration.state(), seen.pool().status().configuration(), now);
    this.scaleDown = ScaleDown.plan(seen, admission, seen.pool().spec().target(), rackSize, now);
    StoppedMachines.Leaving leaving = mayLeave.among(late.returned());
    this.repairs =
        Repairs.plan(leaving.recorded(limits), admission, stopped.without(leaving), rackSize);
    Capacity.Supply supply = growth.supply();
    this.counts =
        StatusCounts.of(
            seen,
            growth.growth(),
            supply.queues() ? Integer.MAX_VALUE : supply.available(),
            rackSize);
  }

  PoolPlan plan() {
    PoolStatus status = status();
    return new PoolPlan(
        plannedActions(),
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
        wakeup(),
        new PlanFigures(seen, rackSize, now)
            .of(
                growth.own(),
                growth.supply().queues() && counts.queued() > 0,
                nextConfiguration,
                repairs));
  }

  private List<PlannedAction> assignments() {
    if (!validity.mayGrow() || refusal.isPresent() || !seen.pool().guarded()) {
      return List.of();
    }
    return configuration
        .profileToBoot(seen)
        .map(profile ->
            HostScaling.assign(
                seen, growth.supply().share().stream().limit(first.room()).toList(), profile, now))
        .orElse(List.of());
  }

  private List<PlannedAction> plannedActions() {
    List<PlannedAction> planned = new ArrayList<>(late.plannedActions());
    planned.addAll(configuration.plannedActions());
    planned.addAll(HostScaling.clearFailures(seen));
    PoolPlanner.addBeside(planned, assignments);
    int surplus = seen.staying() - seen.pool().spec().target();
    planned.addAll(HostScaling.cancel(seen, surplus, rackSize));
    planned.addAll(scaleDown.plannedActions());
    PoolPlanner.addBeside(planned, rollout.plannedActions());
    PoolPlanner.addBeside(planned, repairs.plannedActions());
    return planned;
  }

  private List<Finding> findings() {
    Optional<String> missing = MissingHosts.of(seen);
    Optional<String> refused = refusedAssignments();
    List<Finding> findings = new ArrayList<>(repairs.held().stream().toList());
    findings.add(validity.finding());
    findings.add(
        refused
            .filter(_ -> missing.isEmpty())
            .map(why -> new Finding(CapacityReason.INTERNAL_ERROR, why))
            .orElse(growth.supply().finding()));
    findings.add(growth.grant().finding());
    findings.add(
        HostScaling.atTarget(
            seen,
            counts,
            scaleDown,
            missing.or(() -> refusal).or(() -> refused),
            configuration.disabledText().or(() -> first.text(counts.queued()))));
    findings.add(
        Reconfiguration.check(
            seen, configuration.state(), rollout.progress(), configuration.verdict()));
    return findings;
  }

  /**
   * The message that the API server refuses to assign Hosts, for instance because of an admission
   * policy; empty if it does not, and while the pool wants no Host. Machines are not missing: no
   * Host is blamed, and one assignment is tried at a time (decision D185).
   */
  private Optional<String> refusedAssignments() {
    int granted = growth.growth().map(Growth::granted).orElse(0);
    return seen.refusals()
        .assignments()
        .filter(_ -> granted > seen.held() - seen.assigning())
        .map(PoolSnapshot.RefusedAssignments::message);
  }

  private PoolStatus status() {
    Pool pool = seen.pool();
    Map<PoolCondition, Condition> conditions = PoolReport.conditions(seen, now, findings());
    return new PoolStatus(
        pool.generation(),
        counts,
        scaleDown.batch(),
        lost.next(),
        repairs.next().withFound(seen.racks()),
        nextConfiguration,
        pool.keepsMetadata() ? pool.status().nodeMetadata() : pool.spec().node().fingerprint(),
        growth.growth(),
        conditions,
        PoolReport.events(seen, conditions),
        Optional.empty());
  }

  private Optional<Instant> wakeup() {
    return Stream.of(
            late.wakeup(),
            stopped.wakeup(),
            growth.grant().wakeup(),
            growth.supply().wakeup(),
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
        .min(Instant::compareTo);
  }
}
