package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Unreadable objects do not count as deleted, even after a restart of the operator. */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HarmlessIT {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final int MACHINES = 8;

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final Workloads work;
  private OperatedFleet fleet;

  HarmlessIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
    this.work = new Workloads(admin);
  }

  @BeforeAll
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, MACHINES));
    centre.quotas.add(quota(TYPE, MACHINES));
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre);
  }

  @AfterAll
  void end() {
    work.delete();
    fleet.close();
  }

  private void patchStatus(String pool, String patch) {
    admin
        .resources(NodePool.class)
        .withName(pool)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON), patch);
  }

  @Test
  void aPoolWhoseMemoryCannotBeReadIsLeftAloneUntilItIsRemoved() {
    PoolUnderTest pool = fleet.pool("unreadable-status", TYPE, 2).isWell();
    List<String> busy = work.deployment("unreadable-work", "unreadable-status", 2);
    try (NodeHistory history = new NodeHistory(admin)) {
      patchStatus(
          "unreadable-status",
          "[{\"op\": \"replace\", \"path\": \"/status/workingMemory\", \"value\": \"1:lost\"}]");
      fleet.restart(PlanSettings.DEFAULTS);
      OperatedFleet.eventually(() ->
          assertThat(
                  fleet.events(
                      about -> "unreadable-status".equals(about.getName()),
                      EventReason.OBJECT_UNREADABLE))
              .isNotEmpty());
      patchStatus(
          "unreadable-status",
          "[{\"op\": \"remove\", \"path\": \"/status/workingMemory\"}, {\"op\": \"remove\", \"path\": \"/status/eventState\"}]");
      pool.hasMet(2);

      assertThat(pool.nodes()).containsExactlyInAnyOrderElementsOf(busy);
      history.assertUntouched(busy);
    }
  }

  @Test
  void aRecordOfALaterVersionBlocksItsNodeUntilItCanBeRead() {
    PoolUnderTest pool = fleet.pool("later-version", TYPE, 2).isWell();
    List<String> nodes = pool.nodes().toList();
    String frozen = nodes.getFirst();
    annotate(frozen, "{\"v\":2,\"stage\":\"Committed\"}");
    fleet.restart(PlanSettings.DEFAULTS);
    pool.reports(AtTargetReason.INTERNAL_ERROR, frozen, "nodepool.io/removal");
    // The pool and the machine are loops of their own: either may report it first.
    OperatedFleet.eventually(() ->
        assertThat(
                fleet.events(
                    about -> frozen.equals(about.getName()), EventReason.OBJECT_UNREADABLE))
            .hasSize(1));

    annotate(frozen, null);
    pool.hasMet(2);
    assertThat(pool.nodes()).containsExactlyInAnyOrderElementsOf(nodes);
    assertThat(Stream.of(frozen).map(fleet::host).map(host -> host.getSpec().power.name()))
        .containsExactly("ON");
  }

  private void annotate(String node, @Nullable String removal) {
    admin
        .nodes()
        .withName(node)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"metadata\": {\"annotations\": {\"nodepool.io/removal\": %s}}}"
                .formatted(removal == null ? "null" : "\"" + removal.replace("\"", "\\\"") + "\""));
  }
}
