package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Metadata at the limits of a real API server: what the operator reports Valid is applied to Nodes,
 * and what it reports Invalid is applied to none.
 */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadSpecIT {
  private static final String TYPE = "gd-8xh100ib-i128";

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private OperatedFleet fleet;

  BadSpecIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @BeforeAll
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("1", TYPE, 4));
    centre.quotas.add(quota(TYPE, 4));
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre);
  }

  @AfterAll
  void end() {
    fleet.close();
  }

  /** Adds annotations of 16 KiB each. With their record, seven fit on a Node and eight do not. */
  private static Consumer<NodePool> annotated(int count, String letter) {
    return pool -> {
      Map<String, String> annotations = new TreeMap<>();
      for (int i = 0; i < count; i++) {
        annotations.put("example.com/a" + i, letter.repeat(16_384));
      }
      pool.getSpec().nodeAnnotations = annotations;
    };
  }

  private List<Node> nodes(String pool) {
    return admin.nodes().withLabel(NodeLabels.NODE_POOL.key(), pool).list().getItems();
  }

  @Test
  void asManyAnnotationsAsFitAreAppliedAndMoreAreAppliedToNoNode() {
    PoolUnderTest pool = fleet.pool("wordy", TYPE, 0).isWell();
    pool.change(annotated(8, "a"))
        .target(1)
        .reports(
            ValidatedReason.INVALID,
            "spec.nodeAnnotations is too long: with the record that the operator keeps of it, a Node would have 262",
            "Kubernetes allows 262144 in all, of which 16384 are kept for others.")
        .reports(CapacityReason.NOT_CHECKED, "is checked once")
        .reports(QuotaReason.NOT_CHECKED, "is checked once")
        .neverEmitted(EventReason.NODE_POOL_QUOTA_CHECK_FAILED);
    assertThat(admin.resources(HostResource.class).list().getItems())
        .allMatch(host -> host.getSpec().assignment == null);

    pool.change(annotated(7, "a")).isWell();
    pool.change(annotated(7, "b"));
    OperatedFleet.eventually(() ->
        assertThat(nodes("wordy"))
            .singleElement()
            .satisfies(node ->
                assertThat(node.getMetadata().getAnnotations())
                    .containsEntry("example.com/a6", "b".repeat(16_384))));
    pool.isWell().neverEmitted(EventReason.NODE_DELIVER_FAIL);
    pool.target(0).isWell();
  }

  @Test
  void keysAndValuesAtTheirLimitsBecomeNodes() {
    String longest = "a".repeat(63);
    String domain = (longest + ".").repeat(3) + "b".repeat(61);
    PoolUnderTest pool = fleet.pool("n".repeat(63), TYPE, 0).isWell();
    pool.change(
            stored -> {
              stored.getSpec().nodeLabels = Map.of(domain + "/" + longest, longest, "a..b", "");
              stored.getSpec().nodeAnnotations = Map.of("Example.com/Contact_1", "ü € 😀\n\t\"");
            })
        .target(1)
        .isWell();

    assertThat(nodes("n".repeat(63)))
        .singleElement()
        .satisfies(node ->
            assertThat(node.getMetadata().getLabels())
                .containsEntry(domain + "/" + longest, longest));
    pool.target(0).isWell();
  }
}
