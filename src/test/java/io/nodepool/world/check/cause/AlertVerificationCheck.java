package io.nodepool.world.check.cause;

import io.nodepool.fleet.HostPhase;
import io.nodepool.health.Signal;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.check.consent.Consent;
import io.nodepool.world.check.consent.LeavingNode;
import io.nodepool.world.check.truth.Causes;
import io.nodepool.world.check.truth.Moment;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Machines are verified, because someone reports an alert about them. */
final class AlertVerificationCheck implements CauseCheck {
  private final RepairCheck repairs = new RepairCheck();

  @Override
  public Map<String, Predicate<Moment>> holds() {
    return Map.of(
        "its machine is verified for its alert",
        // What is committed goes on when the alert has ended.
        moment ->
            RepairCheck.isReported(
                moment.chronicle(), moment.name(), Instant.MIN, alert -> alert.grade().repairs()));
  }

  @Override
  public Map<String, BiPredicate<String, Moment>> ends() {
    return Map.of(
        "its alert is not to be verified on it any more",
        (pool, moment) ->
            // It ended, another Node is verified, the pool or a user does not want it, or the Node
            // is not idle or not there.
            isOver(moment)
                || Causes.is(pool, moment, each -> !isPermitted(each, moment.name()))
                || Causes.is(pool, moment, each -> !each.spec().repair().isRepairing())
                || moment.node(Node::refusesRepair)
                || moment.busy(moment.name())
                || moment.host(host -> !host.is(HostPhase.RUNNING) || host.isRebooting()));
  }

  private static boolean isPermitted(Pool pool, String node) {
    return !pool.isTerminating()
        && pool.status()
            .repairs()
            .admitted()
            .filter(each -> each.verifies() && each.node().equals(node))
            .isPresent();
  }

  private static boolean isOver(Moment moment) {
    return moment.chronicle().signals(moment.name()).ever(moment.since(), all -> !stands(all))
        && moment.host().wasNot(moment.since(), each -> stands(each.report().signals()));
  }

  private static boolean stands(List<Signal> signals) {
    return signals.stream().anyMatch(Signal::stands);
  }

  @Override
  public boolean demandsReboot(LeavingNode leaving) {
    return RepairCheck.isReported(
        leaving.chronicle(),
        leaving.node().name(),
        leaving.demanded(),
        alert -> alert.grade().repairs());
  }

  /** It is drained as for the repair that follows. */
  @Override
  public Stream<Consent> rebootConsents(LeavingNode leaving) {
    return repairs.consents(leaving);
  }
}
