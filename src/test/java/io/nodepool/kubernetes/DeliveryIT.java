package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.api.FleetMishaps;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Machines that do not boot or do not join, on a real API server with short deadlines. Failed Hosts
 * wait briefly and are never set aside, so that a slow computer only makes the tests slower.
 */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DeliveryIT {
  private static final String NEVER_BOOTS = "gd-8xh100ib-i128";
  private static final String NEVER_JOINS = "turin-gp";
  private static final int MACHINES = 4;
  private static final PlanSettings SHORT =
      PlanSettings.DEFAULTS.withDelivery(
          new PlanSettings.DeliverySettings(
              false,
              Duration.ofSeconds(3),
              Duration.ofSeconds(3),
              Duration.ofSeconds(2),
              Duration.ofSeconds(4),
              1000));

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private OperatedFleet fleet;

  DeliveryIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @BeforeAll
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", NEVER_BOOTS, MACHINES));
    centre.racks.add(rack("b", NEVER_JOINS, MACHINES));
    fleet = new OperatedFleet(cluster, admin, SHORT, centre);
  }

  @AfterAll
  void end() {
    fleet.close();
  }

  @Test
  void aMachineThatDoesNotBootIsReleasedAndAnotherIsAssigned() {
    String broken = fleet.machines(NEVER_BOOTS).getFirst();
    fleet.change(centre -> mishaps(centre).neverBoot.add(broken));

    PoolUnderTest pool = fleet.pool("late-boot", NEVER_BOOTS, 1);

    awaitFailure(broken, "it did not come up within 3s");
    assertEmitted(pool, broken, "it did not come up within 3s");
    pool.isWell();
    assertThat(pool.nodes()).hasSize(1).doesNotContain(broken);
    assertThat(fleet.host(broken).getSpec().assignment).isNull();

    fleet.change(centre -> mishaps(centre).neverBoot.clear());
    awaitDelivery(pool, broken);
  }

  @Test
  void aMachineThatDoesNotJoinIsReleasedAndAnotherIsAssigned() {
    String broken = fleet.machines(NEVER_JOINS).getFirst();
    fleet.change(centre -> mishaps(centre).neverJoin.add(broken));

    PoolUnderTest pool = fleet.pool("late-join", NEVER_JOINS, 1);

    String cause = "it came up and did not register within 3s";
    awaitFailure(broken, cause);
    assertEmitted(pool, broken, cause);
    assertThat(registrationFailures(broken))
        .singleElement()
        .satisfies(event -> {
          assertThat(event.getInvolvedObject().getKind()).isEqualTo("Node");
          assertThat(event.getMessage())
              .isEqualTo(
                  "Machine %s of NodePool late-join is given back: %s.".formatted(broken, cause));
        });
    pool.isWell();
    assertThat(pool.nodes()).hasSize(1).doesNotContain(broken);

    fleet.change(centre -> mishaps(centre).neverJoin.clear());
    awaitDelivery(pool, broken);
  }

  private static FleetMishaps mishaps(SimulatedFleetSpec centre) {
    FleetMishaps mishaps = Objects.requireNonNullElseGet(centre.mishaps, FleetMishaps::new);
    centre.mishaps = mishaps;
    return mishaps;
  }

  private void awaitFailure(String host, String cause) {
    OperatedFleet.eventually(() ->
        assertThat(Optional.ofNullable(fleet.host(host).getSpec().deliveryFailures))
            .hasValueSatisfying(failures -> {
              assertThat(failures.count).isEqualTo(1);
              assertThat(failures.cause).isEqualTo(cause);
              assertThat(failures.notBefore).isGreaterThan(failures.lastAt);
            }));
  }

  private static void assertEmitted(PoolUnderTest pool, String host, String cause) {
    assertThat(pool.events(EventReason.NODE_DELIVER_FAIL))
        .filteredOn(event -> event.getMessage().contains(host))
        .singleElement()
        .satisfies(event ->
            assertThat(event.getMessage()).contains("given back, others are taken", cause));
  }

  private List<Event> registrationFailures(String node) {
    return fleet.events(
        about -> node.equals(about.getName()), EventReason.NODE_REGISTRATION_FAILED);
  }

  /**
   * A pool that needs every machine also gets the repaired one, whose failures are then cleared.
   */
  private void awaitDelivery(PoolUnderTest pool, String host) {
    pool.target(MACHINES).isWell();
    assertThat(pool.nodes()).hasSize(MACHINES).contains(host);
    OperatedFleet.eventually(
        () -> assertThat(fleet.host(host).getSpec().deliveryFailures).isNull());
  }
}
