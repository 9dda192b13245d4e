package io.nodepool.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Deliveries;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.InstanceCatalogue;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.Notice;
import io.nodepool.plan.PoolPlanner;
import io.nodepool.plan.Rules;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class ControlTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  private static final PoolId POOL = new PoolId("a", "pool-uid");
  private static final HostId HOST = new HostId("g1", "h-1");

  private final Control control =
      new Control(
          InstanceCatalogue.bundled(),
          new PoolPlanner(InstanceCatalogue.bundled(), Rules.DEFAULTS)::plan,
          Rules.DEFAULTS,
          ControlPlaneNamespaces.DEFAULTS,
          new Silent(),
          key -> {},
          InstantSource.fixed(NOW),
          Timings.DEFAULTS);

  private static final class Silent implements Writer {
    @Override
    public void submit(List<Notice> notices, Action action, Consumer<Answer<Observation>> answer) {}

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {}
  }

  private static Observation host(long version, Optional<PoolId> holder) {
    return new Observation.HostSeen(
        new Host(
            HOST,
            version,
            new Machine("gd-8xh100ib-i128", "Z", "R", "1", "r1", 0, "", "", "", ""),
            1,
            holder.map(pool -> new Assignment(pool, "default", "op", NOW, NodeTemplate.EMPTY)),
            "",
            Host.Power.ON,
            Deliveries.CLEAN,
            new Host.Report(HostPhase.RUNNING, 1, "boot", "ncore-1", NOW)));
  }

  @Test
  void aHostAndItsNodeBelongToThePoolThatHoldsTheHost() {
    Action.Subject host = new Action.Subject.OfHost(HOST);
    Action.Subject node = new Action.Subject.OfNode("g1", "n-1");
    assertThat(control.poolOf(host)).isEmpty();

    control.observe(host(1, Optional.of(POOL)));
    assertThat(control.poolOf(host)).isEqualTo("pool-uid");
    assertThat(control.poolOf(node)).isEqualTo("pool-uid");

    control.observe(host(2, Optional.empty()));
    assertThat(control.poolOf(host)).isEmpty();
    assertThat(control.poolOf(node)).isEmpty();
  }

  @Test
  void aPoolBelongsToItselfAndANamespaceToNone() {
    assertThat(control.poolOf(new Action.Subject.OfPool(POOL))).isEqualTo("pool-uid");
    assertThat(control.poolOf(new Action.Subject.OfNamespace("kube-system", "u"))).isEmpty();
  }
}
