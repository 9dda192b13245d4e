package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static io.nodepool.kubernetes.api.NodePoolSpec.ScaleDownStrategy.PREFER_IDLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.LocalClusterExtension;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.local.programs.ControlPlaneProgram;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The API server is killed and restarted: briefly during a growth, and for longer than a Lease
 * during a drain.
 */
@WithLocalCluster
class KilledApiServerIT {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final int MACHINES = 16;
  private static final int NODES = 12;
  private static final Duration SOON = Duration.ofMinutes(2);

  private LocalCluster cluster;
  private KubernetesClient admin;
  private Workloads work;
  private OperatedFleet fleet;

  @BeforeEach
  void start() {
    // A cluster of its own, since other tests need theirs.
    cluster = LocalCluster.start(LocalClusterOptions.standard(System.err::println));
    admin = LocalClusterExtension.client(cluster.kubeconfig());
    work = new Workloads(admin);
    SimulatedFleetSpec centre = OperatedFleet.centre("1s", "6s");
    centre.racks.add(rack("a", TYPE, MACHINES));
    centre.quotas.add(quota(TYPE, MACHINES));
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre);
  }

  @AfterEach
  void end() {
    fleet.close();
    admin.close();
    cluster.close();
  }

  private void awaitApiServer() {
    await()
        .atMost(SOON)
        .ignoreExceptionsInstanceOf(KubernetesClientException.class)
        .until(() -> admin.namespaces().withName("default").get() != null);
  }

  @Test
  void aGrowthContinuesAfterAnOutage() {
    PoolUnderTest busy = fleet.pool("busy", TYPE, 2).isWell();
    List<String> working = work.deployment("busy-work", "busy", 2);
    PoolUnderTest growing = fleet.pool("growing", TYPE, NODES);
    eventually(() -> assertThat(growing.nodes()).isNotEmpty());

    cluster.kill(ControlPlaneProgram.API_SERVER);
    cluster.startAgain(ControlPlaneProgram.API_SERVER);
    awaitApiServer();

    await().atMost(SOON).untilAsserted(() -> assertThat(growing.nodes()).hasSize(NODES));
    growing.hasMet(NODES).isWell();
    assertThat(fleet.assignments()).isEqualTo(2 + NODES);
    assertThat(growing.count(EventReason.NODE_ASSIGNED)).isEqualTo(NODES);
    assertThat(growing.count(EventReason.NODE_REGISTERED)).isEqualTo(NODES);
    assertThat(busy.nodes()).containsExactlyInAnyOrderElementsOf(working);
  }

  @Test
  void aDrainContinuesAfterAnOutageThatEndedItsLeader() {
    PoolUnderTest busy = fleet.pool("busy", TYPE, 2).isWell();
    List<String> working = work.deployment("busy-work", "busy", 2);
    PoolUnderTest drained = fleet.pool("drained", TYPE, 2).strategy(PREFER_IDLE).isWell();
    String guarded = work.deployment("guarded-work", "drained", 1).getFirst();
    work.neverEvict("guarded-work");
    try (NodeHistory history = new NodeHistory(admin);
        PodHistory pods = new PodHistory(admin)) {
      drained.target(0);
      busy.target(0);
      eventually(() ->
          assertThat(history.messages(guarded, NodeRemovalReason.BLOCKED_BY_BUDGET)).hasSize(1));

      cluster.kill(ControlPlaneProgram.API_SERVER);
      assertThat(fleet.awaitEnd()).contains("leadership was lost");
      cluster.startAgain(ControlPlaneProgram.API_SERVER);
      awaitApiServer();
      fleet.restart(PlanSettings.DEFAULTS);
      work.letEvict("guarded-work");

      await().atMost(SOON).untilAsserted(() -> assertThat(drained.nodes()).isEmpty());
      drained.hasMet(0);
      assertThat(history.drains(guarded)).hasSize(1);
      assertThat(pods.evicted("guarded-work")).hasSize(1);
      assertThat(drained.count(EventReason.NODE_DELETED)).isEqualTo(2);
      assertThat(busy.nodes()).containsExactlyInAnyOrderElementsOf(working);
      history.assertUntouched(working);
    }
  }
}
