package io.nodepool.world.check.cause;

import io.nodepool.fleet.HostPhase;
import io.nodepool.health.Signal;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.consent.LeavingNode;
import io.nodepool.world.check.truth.Causes;
import io.nodepool.world.check.truth.Moment;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/** Machines are verified, because someone reports the same alert about many of them. */
final class AlertVerificationCheck implements CauseCheck {
  /** On fewer machines no alert is suspected. */
  private static final int COUNT = 4;

  @Override
  public Map<String, Predicate<Moment>> holds() {
    return Map.of(
        "its machine is verified because its alert is suspected",
        // What is committed goes on when the alert has ended.
        moment -> isReportedOften(moment.chronicle(), moment.name(), Instant.MIN));
  }

  /** Whether an alert about the machine was reported about enough others too. */
  private static boolean isReportedOften(Chronicle chronicle, String name, Instant from) {
    return AlertCatalogue.shipped().all().stream()
        .map(Alert::name)
        .filter(alert -> isReported(chronicle, name, from, alert))
        .anyMatch(alert ->
            chronicle.hostNames().stream()
                    .filter(other -> isReported(chronicle, other, from, alert))
                    .count()
                >= COUNT);
  }

  private static boolean isReported(Chronicle chronicle, String name, Instant from, String alert) {
    return chronicle.wasReported(name, from, each -> each.name().equals(alert));
  }

  @Override
  public Map<String, BiPredicate<String, Moment>> ends() {
    return Map.of(
        "its alert is not to be verified on it any more",
        (pool, moment) ->
            // It ended, others know enough by now, the pool or a user does not want it, or the
            // Node is not idle or not there.
            isOver(moment)
                || Causes.is(pool, moment, AlertVerificationCheck::isUndecidedNoMore)
                || Causes.is(pool, moment, each -> !each.spec().pause().isRepairing())
                || moment.node(Node::refusesRepair)
                || moment.busy(moment.name())
                || moment.host(host -> !host.is(HostPhase.RUNNING) || host.isRebooting()));
  }

  private static boolean isOver(Moment moment) {
    return moment.chronicle().signals(moment.name()).ever(moment.since(), all -> !stands(all))
        && moment.host().wasNot(moment.since(), each -> stands(each.report().signals()));
  }

  private static boolean stands(List<Signal> signals) {
    return signals.stream().anyMatch(Signal::stands);
  }

  private static boolean isUndecidedNoMore(Pool pool) {
    return pool.isTerminating()
        || pool.status().removal().repairs().suspects().stream()
            .noneMatch(each -> each.verdict() == SuspectedAlert.Verdict.PENDING);
  }

  @Override
  public boolean demandsReboot(LeavingNode leaving) {
    return isReportedOften(leaving.chronicle(), leaving.node().name(), leaving.demanded());
  }
}
