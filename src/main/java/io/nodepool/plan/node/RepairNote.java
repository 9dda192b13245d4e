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
import java.util.function.BinaryOperator;

/**
 * The record on a Host that is written before work is ended on its Node for an alert, or its
 * machine is booted or set aside for an alert. The brakes count it wherever the machine is by then,
 * also if an operator dies before the work is done.
 */
final class RepairNote {
  private RepairNote() {}

  /**
   * The write of the record; empty if it is written, or nothing counts.
   *
   * @param causes the causes to commit
   * @param endsWork whether tenant work is on the Node
   */
  static Optional<PlannedAction> missing(
      CauseFacts facts, List<Disruption.Cause> causes, Demand.Part wanted, boolean endsWork) {
    Optional<Disruption.Cause> cause =
        causes.stream()
            .filter(each -> each.what().isAlertVerification())
            .findFirst()
            .or(() ->
                causes.stream()
                    .sorted(Comparator.comparing(each -> !each.leaves()))
                    .filter(each -> each.what().repaired().isPresent())
                    .findFirst());
    boolean verifies = wanted.ending().isVerification();
    if (cause.isEmpty()
        || facts.pool().isEmpty()
        || facts.host().isEmpty()
        || (verifies && !endsWork)) {
      return Optional.empty();
    }
    return missing(cause.get(), verifies, endsWork, wanted, facts);
  }

  private static Optional<PlannedAction> missing(
      Disruption.Cause cause,
      boolean verifies,
      boolean endsWork,
      Demand.Part wanted,
      CauseFacts facts) {
    String alert =
        cause
            .what()
            .repaired()
            .map(repair -> repair.alert())
            .orElseGet(() -> cause.what().reference());
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
            .orElse(cause.at().truncatedTo(ChronoUnit.MILLIS));
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
   * The write of the record that a Host is set aside for an alert, though its Node leaves for
   * another cause; empty if it is written, or the Host is not set aside.
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
          PastRepair entry =
              new PastRepair(alert, pool.uid(), lastAt(removal), true, isProved, false);
          return write(host, pool, entry, now, settings);
        });
  }

  /** When the last cause joined: the record may be hours older, if an alert was held. */
  private static Instant lastAt(Disruption.Committed removal) {
    return removal.causes().stream()
        .map(Disruption.Cause::at)
        .reduce(removal.at(), BinaryOperator.maxBy(Comparator.naturalOrder()))
        .truncatedTo(ChronoUnit.MILLIS);
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
