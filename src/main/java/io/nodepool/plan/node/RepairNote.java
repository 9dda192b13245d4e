package io.nodepool.plan.node;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PastRepair;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.repair.RackRepair;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.plan.disruption.cause.CauseFacts;
import io.nodepool.plan.disruption.cause.RepairCause;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What is written on a Host before work is ended on its Node for an alert, or its machine is booted
 * or set aside for one: the brakes count it wherever the machine is by then, also if an operator
 * dies before it is done.
 */
final class RepairNote {
  private RepairNote() {}

  /**
   * The write of what is about to be done; empty if it is written, or nothing counts.
   *
   * @param causes what is committed
   * @param endsWork whether tenant work is on the Node
   */
  static Optional<PlannedAction> missing(
      CauseFacts facts, List<Disruption.Cause> causes, Demand.Part wanted, boolean endsWork) {
    Optional<String> alert =
        causes.stream()
            .filter(cause -> cause.what().isAlertVerification())
            .map(cause -> cause.what().reference())
            .findFirst()
            .or(() ->
                causes.stream()
                    .sorted(Comparator.comparing(cause -> !cause.leaves()))
                    .flatMap(cause -> cause.what().repaired().stream())
                    .map(repair -> repair.alert())
                    .findFirst());
    boolean verifies = wanted.ending().isVerification();
    if (alert.isEmpty()
        || facts.pool().isEmpty()
        || facts.host().isEmpty()
        || (verifies && !endsWork)) {
      return Optional.empty();
    }
    return missing(alert.get(), verifies, endsWork, wanted, facts);
  }

  private static Optional<PlannedAction> missing(
      String alert, boolean verifies, boolean endsWork, Demand.Part wanted, CauseFacts facts) {
    Host host = facts.host().orElseThrow();
    Pool pool = facts.pool().orElseThrow();
    RepairState repairs = pool.repairs();
    Optional<RackRepair> rack = repairs.rack().filter(each -> each.isFor(alert, host));
    int sequence = facts.recorded().map(Disruption.Active::sequence).orElse(0);
    Instant at =
        repairs
            .admitted()
            .filter(each -> each.isFor(host.id().uid(), sequence, alert))
            .map(RepairState.Admitted::at)
            .or(() -> rack.map(RackRepair::at))
            .orElseGet(() -> facts.recorded().map(Disruption.Active::since).orElse(facts.now()));
    Optional<PastRepair> last =
        host.past().stream()
            .filter(each -> each.alert().equals(alert) && each.at().equals(at))
            .filter(each -> each.poolUid().equals(pool.id().uid()))
            .findFirst();
    PastRepair entry =
        new PastRepair(
            alert,
            pool.id().uid(),
            at,
            wanted.ending() instanceof DisruptionEnding.Leave,
            host.isProvedFaulty(alert),
            endsWork || last.filter(PastRepair::endedWork).isPresent(),
            (verifies && repairs.isHeld(alert)) || last.filter(PastRepair::probe).isPresent(),
            rack.map(RackRepair::rack).orElse(""));
    if (last.filter(entry::equals).isPresent()) {
      return Optional.empty();
    }
    return Optional.of(write(host, pool.id(), entry, facts.now(), facts.settings()));
  }

  /**
   * The write that the Host of a Node that leaves for something else is set aside for an alert;
   * empty if it is written, or the Host is not.
   */
  static Optional<PlannedAction> ofLeaving(
      MachineSnapshot seen, Disruption.Committed removal, Instant now, PlanSettings settings) {
    Host host = seen.host();
    return RepairCause.outOfService(seen)
        .map(RepairCause::alert)
        .filter(alert ->
            host.past().stream()
                .noneMatch(each ->
                    each.out() && each.alert().equals(alert) && host.isOfAssignment(each.at())))
        .map(alert -> {
          PoolId pool = seen.pool().orElseThrow().id();
          boolean isProved =
              host.isProvedFaulty(alert)
                  || RepairCause.verifiedToLeave(seen).filter(each -> !each).isPresent();
          Instant at = removal.at().truncatedTo(ChronoUnit.MILLIS);
          PastRepair entry = new PastRepair(alert, pool.uid(), at, true, isProved, false);
          return write(host, pool, entry, now, settings);
        });
  }

  private static PlannedAction write(
      Host host, PoolId pool, PastRepair entry, Instant now, PlanSettings settings) {
    Duration window = PastRepair.WINDOW.dividedBy(settings.speed());
    HostOperation.Note note =
        new HostOperation.Note(
            host.id(),
            host.tenancy(),
            pool,
            host.past(),
            entry,
            entry.amid(host.past(), now, window));
    return PlannedAction.quiet(
        new Action.OnHost(note), "its machine has the alert " + entry.alert());
  }
}
