package io.nodepool.kubernetes.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.ClusterStates;
import io.nodepool.control.state.MemberAudit;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.Fixtures;
import io.nodepool.model.NodeConditions;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.DisruptionNotes;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.disruption.cause.RepairCause;
import io.nodepool.plan.disruption.cause.RequestedRebootCause;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is served of what happens to Nodes, from the objects that tell it. */
class StateMetersTest {
  private static final Instant START = Fixtures.NOW;
  private static final PoolId POOL = new PoolId("a", "pool-uid");
  private static final HostId HOST = new HostId("g1", "uid-g1");

  private Instant now = START;
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final OperatorMeters meters = new OperatorMeters(registry, () -> now);
  private final ClusterState state = ClusterStates.empty(() -> now);
  private final MemberAudit audit = new MemberAudit(state);
  private long version = 1;
  private Host host =
      Fixtures.host(
          HOST,
          new Host.Occupancy(1, Optional.of(Fixtures.assignment(POOL)), "", Host.Power.ON),
          new Host.Report(HostPhase.FREE, 0, "", "", START));

  @BeforeEach
  void aPoolThatGrowsHoldsAHost() {
    meters.deliveries(state.deliveries());
    see(
        new Observation.PoolSeen(
            new Pool(
                POOL,
                1,
                1,
                START,
                Optional.empty(),
                true,
                Fixtures.spec(1),
                PoolStatus.NONE.withGrowth(
                    Optional.of(new Growth(START.minusSeconds(100), 1, 1, 0))))));
    see(host);
    var _ = state.completed();
  }

  private void see(Observation seen) {
    meters.observe(seen);
    var _ = state.fold(seen, ClusterState.Source.WATCH);
    audit.verify();
  }

  private void see(Host next) {
    host = next.withVersion(++version);
    see(new Observation.HostSeen(host));
  }

  private void see(Node node) {
    see(new Observation.NodeSeen(node.withVersion(++version)));
  }

  private static Node node(boolean registered) {
    Node node = Fixtures.node(HOST, "n1", 1);
    return node.withStatus(NodeConditions.registered(node.status(), registered));
  }

  private void passes(int seconds) {
    now = now.plusSeconds(seconds);
  }

  private List<String> served(String metric) {
    var _ = state.completed();
    meters.sample(state, Duration.ofSeconds(5));
    return registry
        .scrape()
        .lines()
        .filter(line -> line.startsWith(metric + "{"))
        .map(line -> line.substring(metric.length()))
        .toList();
  }

  private List<String> inWork() {
    return served("nodepool_pool_nodes_in_work");
  }

  private List<String> oldest() {
    return served("nodepool_pool_nodes_in_work_oldest_age_seconds");
  }

  private static String row(String cause, String stage, double value) {
    return "{cause=\"%s\",pool=\"a\",stage=\"%s\"} %s".formatted(cause, stage, value);
  }

  private void runs(int booted) {
    see(
        host.withReport(
            new Host.Report(HostPhase.RUNNING, 1, "b1", "ncore-1", START.plusSeconds(booted))));
  }

  @Test
  void aDeliveryIsInWorkUntilItsNodeIsRegistered() {
    passes(60);
    assertThat(inWork()).containsExactly(row("Delivery", "booting", 1));
    Duration held = Duration.between(Fixtures.assignment(POOL).at(), now);
    assertThat(oldest()).containsExactly(row("Delivery", "booting", (double) held.toSeconds()));

    runs(60);
    passes(30);
    see(node(false));
    assertThat(inWork()).containsExactly(row("Delivery", "joining", 1));
    assertThat(oldest()).containsExactly(row("Delivery", "joining", 30));

    see(node(true));
    assertThat(inWork()).isEmpty();
    assertThat(oldest()).isEmpty();
  }

  @Test
  void aMachineThatIsGivenBackIsInWorkUntilItIsReleased() {
    runs(60);
    see(host.withOccupancy(host.occupancy().withPower(Host.Power.OFF)));
    assertThat(inWork()).containsExactly(row("Return", "stopping", 1));
    see(host.withOccupancy(host.occupancy().released()));
    assertThat(inWork()).isEmpty();
  }

  @Test
  void howLongADeliveryTookIsCountedOnce() {
    runs(60);
    passes(90);
    see(node(false));
    assertThat(served("nodepool_delivery_duration_seconds_count")).isEmpty();
    see(node(true));
    see(node(true));

    double held = Duration.between(Fixtures.assignment(POOL).at(), now).toSeconds();
    assertThat(served("nodepool_delivery_duration_seconds_sum"))
        .containsExactlyInAnyOrder(
            "{from=\"request\",pool=\"a\"} 190.0",
            "{from=\"assignment\",pool=\"a\"} " + held,
            "{from=\"boot\",pool=\"a\"} 30.0");
    assertThat(served("nodepool_delivery_duration_seconds_count"))
        .hasSize(3)
        .allMatch(line -> line.endsWith(" 1"));
    see(new Observation.PoolGone(POOL, ++version));
    assertThat(served("nodepool_delivery_duration_seconds_count")).isEmpty();
  }

  /** An operator that starts lists Hosts and Nodes one after the other. */
  @Test
  void aNodeThatWasRegisteredBeforeIsNoDelivery() {
    ClusterState next = ClusterStates.empty(() -> now);
    List<Duration> told = new ArrayList<>();
    next.deliveries().onRegistered((_, _, took) -> told.add(took));
    runs(60);
    for (Observation seen :
        List.of(new Observation.HostSeen(host), new Observation.NodeSeen(node(true)))) {
      var _ = next.fold(seen, ClusterState.Source.WATCH);
    }
    var _ = next.completed();
    assertThat(told).isEmpty();
  }

  /** It stays for days, and is no drain that is stuck. */
  @Test
  void aMachineThatIsKeptForInspectionIsAStageOfItsOwn() {
    runs(60);
    Disruption.Committed leaves =
        new Disruption.Committed(
            1,
            List.of(new RepairCause("GPUFallenOffBus", Grade.OUT_NOW, true).at(now)),
            Disruption.Cordon.OURS,
            now,
            DisruptionLimits.leaving(now),
            DrainStage.NONE);
    see(node(true).withDisruption(Optional.of(leaves)));
    assertThat(inWork()).containsExactly(row("RepairOut", "draining", 1));

    see(
        host.withOccupancy(
            host.occupancy()
                .withAssignment(
                    host.assignment()
                        .map(held ->
                            held.withPreserved(
                                Optional.of(
                                    new Assignment.Preserved(
                                        "GPUFallenOffBus", now.plusSeconds(9))))))));
    assertThat(inWork()).containsExactly(row("RepairOut", "preserved", 1));
    see(host.withOccupancy(host.occupancy().withPower(Host.Power.OFF)));
    assertThat(inWork()).containsExactly(row("RepairOut", "stopping", 1));
  }

  @Test
  void aRebootIsInWorkInEachOfItsStages() {
    runs(60);
    see(node(true));
    passes(600);
    Disruption.Cause cause =
        new Disruption.Cause(
            new RequestedRebootCause(LifecycleState.REBOOT, false), now.minusSeconds(9));
    Disruption.Admitted admitted =
        new Disruption.Admitted(1, List.of(cause), Disruption.Cordon.OURS, DisruptionNotes.NONE);
    see(node(true).withDisruption(Optional.of(admitted)));
    assertThat(inWork()).containsExactly(row("Reboot", "cordoned", 1));
    assertThat(oldest()).containsExactly(row("Reboot", "cordoned", 9));

    Disruption.Committed committed =
        admitted.committed(
            now,
            new DisruptionLimits(
                new DisruptionEnding.Reboot(BootKind.REBOOT), Instant.MAX, Optional.empty()));
    Node rebooted = node(true).withDisruption(Optional.of(committed));
    see(rebooted);
    assertThat(inWork()).containsExactly(row("Reboot", "draining", 1));

    passes(20);
    BootRequest request =
        BootRequest.first(
            "b1", BootKind.REBOOT, rebooted.operation(committed), now, Optional.empty());
    see(host.withOccupancy(host.occupancy().withBoot(Optional.of(request))));
    passes(7);
    assertThat(inWork()).containsExactly(row("Reboot", "rebooting", 1));
    assertThat(oldest()).containsExactly(row("Reboot", "rebooting", 7));

    see(
        host.withReport(
            host.report().withBoot(Host.Boot.of("b2", "ncore-1").withAt(Optional.of(now)))));
    passes(3);
    assertThat(inWork()).containsExactly(row("Reboot", "verifying", 1));
    assertThat(oldest()).containsExactly(row("Reboot", "verifying", 3));

    see(host.withOccupancy(host.occupancy().withPower(Host.Power.OFF)));
    assertThat(inWork()).containsExactly(row("Reboot", "stopping", 1));
  }

  @Test
  void hostsAreCountedByTypeAndState() {
    HostId free = new HostId("g2", "uid-g2");
    Host other =
        Fixtures.host(
            free, Host.Occupancy.none(0), new Host.Report(HostPhase.FREE, 0, "", "", START));
    see(new Observation.HostSeen(other));
    String type = other.machine().instanceType();
    assertThat(served("nodepool_hosts"))
        .contains("{instance_type=\"%s\",state=\"free\"} 1.0".formatted(type))
        .contains("{instance_type=\"%s\",state=\"set_aside\"} 0.0".formatted(type));

    see(
        new Observation.HostSeen(
            other
                .withVersion(++version)
                .withDeliveries(new DeliveryHistory(Optional.empty(), "broken"))));
    assertThat(served("nodepool_hosts"))
        .contains("{instance_type=\"%s\",state=\"free\"} 0.0".formatted(type))
        .contains("{instance_type=\"%s\",state=\"set_aside\"} 1.0".formatted(type));
  }
}
