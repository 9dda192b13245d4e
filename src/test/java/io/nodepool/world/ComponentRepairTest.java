package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.health.Signal;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Repairs of components while the machine runs, for alerts with the grade "repair DPU". */
@Tag("world")
class ComponentRepairTest extends RepairWorld {
  private static final String DPU = "DPURouteCountMismatch";
  private static final String OTHER = "DPUContainerdThreadExhaustion";

  ComponentRepairTest() {
    super(31);
  }

  private Optional<ComponentRepair> request(Node node, String alert) {
    return host(node).repair(alert);
  }

  private int attempts(Node node, String alert) {
    return request(node, alert).map(ComponentRepair::attempt).orElse(0);
  }

  private boolean isAnswered(Node node) {
    return request(node, DPU)
        .flatMap(each -> each.answer(host(node).report().repairs()))
        .isPresent();
  }

  private void withdraw(Node node, String alert) {
    signals.withdraw(node.name(), key(alert));
  }

  private List<String> told(Node node) {
    return drill
        .events(EventReason.NODE_COMPONENT_REPAIR)
        .map(WorldCluster.EventRecord::eventDraft)
        .filter(event -> event.regarding().name().equals(node.name()))
        .map(event -> event.message())
        .toList();
  }

  @Test
  void aComponentIsRepairedUnderTheWorkOfItsNode() {
    Node node = grown();
    Pod pod = work(node);
    report(node, DPU);
    drill.advance(30, SECONDS);
    assertThat(attempts(node, DPU)).isOne();
    drill.advance(5, MINUTES);
    assertThat(isAnswered(node)).isTrue();
    withdraw(node, DPU);
    drill.advance(24, HOURS);

    assertThat(attempts(node, DPU)).isOne();
    assertThat(lives(pod)).isTrue();
    assertThat(present(node).cordoned()).isFalse();
    assertThat(powerCycles(node)).isZero();
    assertThat(drill.events(EventReason.NODE_CORDONED)).isEmpty();
    assertThat(told(node))
        .containsExactly(
            "Node %s has the alert %s: its fleet is asked to repair its DPU, attempt 1."
                .formatted(node.name(), DPU));
  }

  @Test
  void threeAttemptsThatDoNotHelpTakeTheMachineOutOfService() {
    Node node = grown();
    report(node, DPU);
    List<Instant> requested = new ArrayList<>();
    for (int i = 0; i < 90 && now(node).isPresent(); i++) {
      drill.advance(1, MINUTES);
      request(node, DPU)
          .map(ComponentRepair::at)
          .filter(at -> !requested.contains(at))
          .ifPresent(requested::add);
    }
    drill.toRest();

    assertThat(requested).hasSize(3);
    for (int i = 1; i < 3; i++) {
      assertThat(Duration.between(requested.get(i - 1), requested.get(i)))
          .isGreaterThanOrEqualTo(Duration.ofMinutes(10));
    }
    assertThat(now(node)).isEmpty();
    assertThat(host(node).deliveries().setAside()).contains(DPU);
    assertThat(powerCycles(node)).isZero();
    assertThat(pool.nodes()).hasSize(1).noneMatch(Node::cordoned);
  }

  @Test
  void aPersonWhoReleasesTheHostLetsItBeRepairedAgain() {
    Node node = grown();
    report(node, DPU);
    drill.advance(2, HOURS);
    assertThat(host(node).deliveries().isSetAside()).isTrue();
    withdraw(node, DPU);
    cluster.fleetOwner().setAside(node.name(), "");
    pool.target(30).toRest();

    report(node, DPU);
    drill.advance(5, MINUTES);
    assertThat(cluster.nodes()).containsKey(node.name());
    assertThat(attempts(node, DPU)).isEqualTo(4);
    assertThat(host(node).deliveries().isSetAside()).isFalse();
  }

  @Test
  void workKeepsAMachineOfWhichTheRepairsDidNotHelp() {
    Node node = grown();
    Pod pod = work(node);
    report(node, DPU);
    drill.advance(24, HOURS);

    assertThat(lives(pod)).isTrue();
    assertThat(attempts(node, DPU)).isEqualTo(3);
    assertThat(present(node).cordoned()).isTrue();
    withdraw(node, DPU);
    drill.advance(15, MINUTES);
    assertThat(present(node).cordoned()).isFalse();
  }

  @Test
  void anAlertThatComesBackIsRepairedAgainAndCounts() {
    Node node = grown();
    for (int i = 1; i <= 3; i++) {
      report(node, DPU);
      drill.advance(5, MINUTES);
      assertThat(attempts(node, DPU)).isEqualTo(i);
      withdraw(node, DPU);
      drill.advance(1, HOURS);
    }
    assertThat(present(node).cordoned()).isFalse();
    drill.advance(24, HOURS);
    report(node, DPU);
    drill.advance(5, MINUTES);
    assertThat(attempts(node, DPU)).isEqualTo(4);
    assertThat(present(node).isOutOfService()).isFalse();
  }

  @Test
  void aComponentIsRepairedOnOneNodeAfterTheOther() {
    List<Node> nodes = grown(20);
    nodes.subList(0, 3).forEach(node -> report(node, DPU));
    for (int i = 1; i <= 3; i++) {
      drill.advance(10, MINUTES);
      List<Node> begun = nodes.stream().filter(node -> attempts(node, DPU) > 0).toList();
      assertThat(begun).hasSize(i);
      begun.forEach(node -> withdraw(node, DPU));
    }
  }

  @Test
  void aSuspectedAlertTouchesOneMachineAtMost() {
    List<Node> nodes = grown(20);
    nodes.forEach(node -> report(node, DPU));
    drill.advance(6, HOURS);

    assertThat(suspects()).containsExactly(DPU + " FalseAlarm");
    assertThat(nodes.stream().filter(node -> attempts(node, DPU) > 0).count())
        .isLessThanOrEqualTo(1);
    assertThat(pool.nodes()).hasSize(20).noneMatch(Node::cordoned);
  }

  @Test
  void aFleetThatRepairsNoComponentsIsNotAskedAndItIsSaid() {
    Node node = grown();
    FleetOffer offer = cluster.offer();
    cluster
        .fleetOwner()
        .offer(offer.withCapabilities(offer.capabilities().withRepairsComponents(false)));
    report(node, DPU);
    drill.advance(6, HOURS);
    assertThat(attempts(node, DPU)).isZero();
    assertThat(present(node).cordoned()).isFalse();
    assertThat(pool.conditions()).containsEntry("RepairsHeld", "NotOffered");
    assertThat(repairs().why())
        .isEqualTo(
            "The fleet does not repair components, which the alert %s asks for.".formatted(DPU));

    cluster.fleetOwner().offer(offer);
    drill.advance(2, MINUTES);
    assertThat(attempts(node, DPU)).isOne();
    assertThat(pool.conditions()).doesNotContainKey("RepairsHeld");
  }

  @Test
  void aPoolThatOnlyObservesAsksForNothing() {
    Node node = grown();
    pool.edit(spec -> spec.withRepair(PoolSpec.RepairPolicy.DEFAULTS.withMode("observe")));
    drill.advance(10, SECONDS);
    report(node, DPU);
    drill.advance(6, HOURS);

    assertThat(attempts(node, DPU)).isZero();
    assertThat(pool.conditions()).containsEntry("RepairsHeld", "OnlyObserved");
  }

  @Test
  void aStrongerRepairGoesFirst() {
    Node node = grown();
    report(node, REBOOT_NOW);
    drill.advance(1, SECONDS);
    report(node, DPU);
    drill.advance(3, MINUTES);
    assertThat(attempts(node, DPU)).isZero();
    assertThat(present(node).disruption()).isPresent();
    for (int i = 0; i < 30 && powerCycles(node) == 0; i++) {
      drill.advance(1, MINUTES);
    }
    assertThat(powerCycles(node)).isOne();
    assertThat(attempts(node, DPU)).isZero();
    withdraw(node, REBOOT_NOW);
    report(node, DPU);
    drill.advance(1, HOURS);
    assertThat(powerCycles(node)).isOne();
    assertThat(attempts(node, DPU)).isPositive();
  }

  @Test
  void oneComponentOfAMachineIsRepairedAtATime() {
    Node node = grown();
    report(node, DPU);
    drill.advance(30, SECONDS);
    report(node, OTHER);
    drill.advance(1, MINUTES);
    assertThat(host(node).unansweredRepairs()).hasSizeLessThanOrEqualTo(1);
    drill.advance(5, MINUTES);
    assertThat(attempts(node, DPU)).isOne();
    assertThat(attempts(node, OTHER)).isOne();
  }

  @Test
  void aRequestThatIsRefusedIsNamed() {
    Node node = grown();
    forbid(HostOperation.RepairComponent.class, Duration.ofMinutes(5));
    report(node, DPU);
    drill.advance(4, MINUTES);

    assertThat(attempts(node, DPU)).isZero();
    assertThat(drill.events(EventReason.NODE_POOL_NODES_REQUEST_FAILED))
        .isNotEmpty()
        .allSatisfy(event ->
            assertThat(event.eventDraft().message())
                .startsWith(
                    "The request to repair a component of Host %s failed ".formatted(node.name())));
    drill.advance(1, HOURS);
    assertThat(attempts(node, DPU)).isPositive();
  }

  /** Whatever fails: the rate counts what was only decided, and none waits for another for ever. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void machinesWithTheSameAlertsAreRepairedOneByOne(long seed) {
    Drill rough =
        Drill.with(seed, Drill.racks(Drill.GPU, 1, 30), Faults.LATE, OperatorOverrides.AS_BUILT);
    rough.pool("a").target(9).toRest();
    List<Node> nodes = rough.pool("a").nodes().subList(0, 3);
    for (String alert : List.of(DPU, OTHER)) {
      Signal stands = Signal.standing(key(alert), rough.world.instant());
      nodes.forEach(node -> rough.world.cluster().signals().report(node.name(), stands));
    }
    Set<Instant> requested = new TreeSet<>();
    Set<String> repaired = new TreeSet<>();
    for (int i = 0; i < 120; i++) {
      rough.advance(1, MINUTES);
      for (Node node : nodes) {
        Host host = Objects.requireNonNull(rough.world.cluster().hosts().get(node.name()));
        for (ComponentRepair repair : host.occupancy().repairs()) {
          requested.add(repair.at());
          repaired.add(node.name());
        }
      }
    }

    Instant earliest = Instant.MIN;
    for (Instant each : requested) {
      assertThat(each).as("seed %d: %s", seed, requested).isAfterOrEqualTo(earliest);
      earliest = each.plus(Duration.ofSeconds(30));
    }
    assertThat(repaired).hasSize(3);
  }
}
