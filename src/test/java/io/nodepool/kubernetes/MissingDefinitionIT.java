package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.cli.command.Crds;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.LocalClusterExtension;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The definition of Hosts is deleted on a real API server, and with it all Hosts, while a pool has
 * idle Nodes; and is applied again.
 */
@Tag("local-cluster")
class MissingDefinitionIT {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final String DEFINITION = "hosts.fleet.nodepool.io";
  private static final int NODES = 2;

  private LocalCluster cluster;
  private KubernetesClient admin;
  private OperatedFleet fleet;

  @BeforeEach
  void start() {
    // A cluster of its own, since other tests need the definition of theirs.
    cluster = LocalCluster.start(LocalClusterOptions.standard(System.err::println));
    admin = LocalClusterExtension.client(cluster.kubeconfig());
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, NODES));
    centre.quotas.add(quota(TYPE, NODES));
    fleet =
        new OperatedFleet(
            cluster, admin, PlanSettings.DEFAULTS.withSettle(Duration.ofSeconds(1)), centre);
  }

  @AfterEach
  void end() {
    fleet.close();
    admin.close();
    cluster.close();
  }

  private void deleteDefinition() {
    admin.apiextensions().v1().customResourceDefinitions().withName(DEFINITION).delete();
    eventually(() ->
        assertThat(
                admin.apiextensions().v1().customResourceDefinitions().withName(DEFINITION).get())
            .isNull());
  }

  @Test
  void itIsSaidAndNoNodeIsTouchedUntilHostsExistAgain() {
    PoolUnderTest pool = fleet.pool("kept", TYPE, NODES).isWell();
    List<String> names = pool.nodes().sorted().toList();
    try (NodeHistory history = new NodeHistory(admin)) {
      eventually(() -> history.assertUntouched(names));
      List<String> uids = names.stream().map(history::uid).toList();

      deleteDefinition();

      pool.reports(AtTargetReason.INTERNAL_ERROR, DEFINITION)
          .reports(CapacityReason.INTERNAL_ERROR, DEFINITION);
      assertThat(pool.count(EventReason.NODE_POOL_NODES_REQUEST_FAILED)).isEqualTo(1);
      assertThat(pool.nodes().sorted()).isEqualTo(names);
      history.assertUntouched(names);

      Crds.install(admin);

      pool.isWell();
      eventually(() -> {
        assertThat(pool.nodes()).hasSize(NODES);
        assertThat(names.stream().map(history::uid)).doesNotContainAnyElementsOf(uids);
      });
    }
  }
}
