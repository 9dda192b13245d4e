package io.nodepool.world.check.cause;

import io.nodepool.fleet.HostPhase;
import io.nodepool.world.check.truth.Causes;
import io.nodepool.world.check.truth.Moment;
import java.time.Instant;
import java.util.Map;
import java.util.function.Predicate;

/** Nodes leave because their machines or pools are gone, or fail. */
final class LossCheck implements CauseCheck {
  @Override
  public Map<String, Predicate<Moment>> holds() {
    return Map.of(
        "it did not register in time",
        moment -> Causes.wasOnce(moment, node -> !node.registered()),
        "its machine does not run any more",
        moment ->
            moment.noMachine(moment.name())
                || moment.host(moment.name(), host -> !host.is(HostPhase.RUNNING)),
        "its pool is gone",
        moment -> Causes.poolOf(moment).isEmpty(),
        "it has no machine any more",
        moment -> moment.noMachine(moment.name()),
        "its machine did not come back from its reboot",
        LossCheck::hadBoot);
  }

  private static boolean hadBoot(Moment moment) {
    return moment
        .chronicle()
        .host(moment.name())
        .ever(Instant.MIN, host -> host.filter(h -> h.boot().isPresent()).isPresent());
  }
}
