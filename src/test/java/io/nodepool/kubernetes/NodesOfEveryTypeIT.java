package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.simulated.cluster.node.SampleNodes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The Nodes of docs/reference/nodes.md on a real API server, as clients read them. */
@WithLocalCluster
class NodesOfEveryTypeIT {
  private static final String POOL_UID = "compute.coreweave.com/node-pool-uid";
  private static final String UUID =
      "[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private OperatedFleet fleet;

  NodesOfEveryTypeIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @BeforeEach
  void start() {
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, SampleNodes.centre());
  }

  @AfterEach
  void end() {
    fleet.close();
  }

  @Test
  void theNodesOfEachTypeAreThoseOfTheReference() {
    List<Node> samples = SampleNodes.all();
    for (Node sample : samples) {
      String type = label(sample, "node.kubernetes.io/instance-type");
      fleet.pool(type, type, rackSize(type));
    }
    for (Node sample : samples) {
      eventually(() -> assertIsAsSaid(stored(sample), sample));
    }
  }

  private static int rackSize(String type) {
    return SampleNodes.centre().racks.stream()
        .filter(rack -> rack.instanceType.equals(type))
        .findFirst()
        .orElseThrow()
        .hosts;
  }

  private Node stored(Node sample) {
    Node node = admin.nodes().withName(sample.getMetadata().getName()).get();
    assertThat(node).as(sample.getMetadata().getName()).isNotNull();
    return node;
  }

  private static void assertIsAsSaid(Node node, Node sample) {
    Map<String, String> labels = new HashMap<>(sample.getMetadata().getLabels());
    labels.put(POOL_UID, label(node, POOL_UID));
    assertThat(node.getMetadata().getLabels()).isEqualTo(labels);
    assertThat(label(node, "node.kubernetes.io/type"))
        .isNotEmpty()
        .isEqualTo(label(node, "node.kubernetes.io/instance-type"));
    assertThat(node.getMetadata().getAnnotations())
        .containsKeys(sample.getMetadata().getAnnotations().keySet().toArray(String[]::new));
    assertThat(node.getSpec().getTaints()).isEqualTo(sample.getSpec().getTaints());
    assertThat(node.getSpec().getProviderID()).isEqualTo(sample.getSpec().getProviderID());
    assertIsAsSaid(node.getStatus().getCapacity(), sample.getStatus().getCapacity());
    assertIsAsSaid(node.getStatus().getAllocatable(), sample.getStatus().getAllocatable());
    assertThat(node.getStatus().getAddresses()).isEqualTo(sample.getStatus().getAddresses());
    assertThat(node.getStatus().getNodeInfo())
        .usingRecursiveComparison()
        .ignoringFields("bootID", "machineID", "systemUUID")
        .isEqualTo(sample.getStatus().getNodeInfo());
    assertThat(node.getStatus().getNodeInfo().getBootID()).matches(UUID);
    for (NodeCondition said : sample.getStatus().getConditions()) {
      if (said.getType().equals("CWRegistered")) {
        // It is False as the Node joins, and True once its pool has registered it.
        assertThat(said.getStatus()).isEqualTo("False");
        continue;
      }
      assertThat(node.getStatus().getConditions())
          .anySatisfy(found -> {
            assertThat(found.getType()).isEqualTo(said.getType());
            assertThat(found.getStatus()).isEqualTo(said.getStatus());
            assertThat(found.getReason()).isEqualTo(said.getReason());
            assertThat(found.getMessage()).isEqualTo(said.getMessage());
          });
    }
  }

  /** As numbers; the memory also as text, from which clients strip {@code Ki}. */
  private static void assertIsAsSaid(Map<String, Quantity> quantities, Map<String, Quantity> said) {
    assertThat(quantities).isEqualTo(said);
    assertThat(String.valueOf(quantities.get("memory")))
        .endsWith("Ki")
        .isEqualTo(String.valueOf(said.get("memory")));
  }

  private static String label(Node node, String key) {
    return node.getMetadata().getLabels().getOrDefault(key, "");
  }
}
