package io.nodepool.world.check.cause;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.consent.Consent;
import io.nodepool.world.check.consent.LeavingNode;
import io.nodepool.world.check.truth.Causes;
import io.nodepool.world.check.truth.Moment;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Nodes leave because their machines or pools are gone, or fail. */
final class LossCheck implements CauseCheck {
  @Override
  public Map<String, Predicate<Moment>> holds() {
    return Map.of(
        "it did not register in time",
        moment -> Causes.wasOnce(moment, node -> !node.registered()),
        "its machine does not run any more",
        moment ->
            moment.noMachine(moment.name()) || moment.host(host -> !host.is(HostPhase.RUNNING)),
        "its pool is gone",
        moment -> Causes.poolOf(moment).isEmpty(),
        "it has no machine any more",
        moment -> moment.noMachine(moment.name()),
        "its machine did not come back from its reboot",
        LossCheck::hadBoot);
  }

  private static boolean hadBoot(Moment moment) {
    return moment.host().was(h -> h.boot().isPresent());
  }

  @Override
  public boolean demands(LeavingNode leaving) {
    Node node = leaving.node();
    Chronicle chronicle = leaving.chronicle();
    Instant chosen = leaving.chosen();
    return chronicle.host(node.name()).wasNot(leaving.since(), node::isOf)
        || isOrphan(leaving)
        || isNotBack(leaving)
        || leaving.host(chosen, host -> !host.is(HostPhase.RUNNING))
        || chronicle
            .node(node.name())
            .was(chosen, n -> n.uid().equals(node.uid()) && !n.registered());
  }

  @Override
  public Stream<Consent> consents(LeavingNode leaving) {
    return isOrphan(leaving)
            || leaving.host(leaving.since(), host -> isAbandoned(leaving.node(), host))
            || isNotBack(leaving)
        ? Stream.of(Consent.LASTING)
        : Stream.empty();
  }

  private static boolean isOrphan(LeavingNode leaving) {
    return leaving.pool(leaving.since(), Optional::isEmpty);
  }

  /** Whether the machine is in another tenancy than that of the Node, which it ended. */
  private static boolean isAbandoned(Node node, Host host) {
    return host.id().uid().equals(node.hostUid()) && !node.isOf(host);
  }

  private static boolean isNotBack(LeavingNode leaving) {
    return leaving.host(leaving.since(), host -> isNotBack(leaving.node(), host))
        || leaving.chronicle().isJobFailed(leaving.node().name());
  }

  /** Whether the machine was asked to boot, and is not verified and Ready since. */
  private static boolean isNotBack(Node node, Host host) {
    return node.isOf(host)
        && host.boot()
            .filter(asked -> asked.operation().startsWith("reboot/%s/".formatted(node.uid())))
            .filter(asked ->
                host.is(HostPhase.FAILED)
                    || !node.ready()
                    || host.report()
                        .boot()
                        .verification()
                        .filter(
                            each -> each.answers(host.report().bootId(), asked) && each.passed())
                        .isEmpty())
            .isPresent();
  }
}
