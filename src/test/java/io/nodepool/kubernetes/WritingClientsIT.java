package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static io.nodepool.kubernetes.Wire.APPLY;
import static io.nodepool.kubernetes.Wire.MERGE_PATCH;
import static io.nodepool.kubernetes.Wire.POOLS;
import static io.nodepool.kubernetes.Wire.tree;
import static io.nodepool.kubernetes.Wire.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.TerraformNodePool.Taint;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Public clients that write NodePools (contract §19), with the requests of their sources, on a real
 * API server with an operator. They read back what they wrote, even after the operator has written
 * its own fields.
 */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WritingClientsIT {
  private static final String H100 = "gd-8xh100ib-i128";
  private static final String NAME = "written";
  private static final String PODS = "/api/v1/namespaces/default/pods";
  private static final String POOL = POOLS + "/" + NAME;

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final Wire wire;
  private OperatedFleet fleet;

  WritingClientsIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
    this.wire = new Wire(admin);
  }

  @BeforeAll
  void start() {
    var centre = OperatedFleet.centre();
    centre.racks.addAll(List.of(rack("169", "gb200-4x", 18), rack("101", H100, 4)));
    // Nothing runs on these Nodes, so they can be removed at once.
    fleet =
        new OperatedFleet(
            cluster, admin, PlanSettings.DEFAULTS.withSettle(Duration.ofMillis(1)), centre);
  }

  @AfterAll
  void end() {
    fleet.close();
  }

  @AfterEach
  void leaveNoPool() {
    Wire.items(wire.get(POOLS).ok())
        .map(pool -> pool.at("/metadata/name").asText())
        .forEach(name -> wire.delete(POOLS + "/" + name));
    eventually(() -> assertThat(Wire.items(wire.get(POOLS).ok())).isEmpty());
  }

  /** The pool once the operator has reported on its current spec. */
  private JsonNode atRest(String name) {
    eventually(() -> {
      JsonNode pool = wire.get(POOLS + "/" + name).ok();
      assertThat(pool.at("/status/observedGeneration")).isEqualTo(pool.at("/metadata/generation"));
      assertThat(pool.at("/status/conditions").toString()).contains("TargetMet");
    });
    return wire.get(POOLS + "/" + name).ok();
  }

  /** The same once the operator writes no more about it. */
  private JsonNode unchanging(String name) {
    atRest(name);
    AtomicReference<String> last = new AtomicReference<>("");
    await()
        .during(Duration.ofSeconds(1))
        .atMost(Duration.ofMinutes(1))
        .until(() -> {
          String now = version(atRest(name));
          return last.getAndSet(now).equals(now);
        });
    return wire.get(POOLS + "/" + name).ok();
  }

  // coreweave/terraform-provider-coreweave, coreweave/cks/resource_node_pool.go

  private static Stream<TerraformNodePool> plans() {
    TerraformNodePool minimal = TerraformNodePool.minimal(NAME, H100, 1);
    return Stream.of(
        minimal,
        TerraformNodePool.minimal("n".repeat(63), H100, 0),
        minimal.sized(0, false, 0L, 0L),
        minimal.sized(1, true, 0L, 3L),
        minimal.sized(1, true, null, 3L),
        minimal.updated("RolloutOnCommand"),
        minimal.updated("Manual"),
        minimal.with(
            Map.of("team", "research"),
            Map.of("example.com/contact", "a@example.com"),
            List.of(
                new Taint("dedicated", "", "NoSchedule"),
                new Taint("dedicated", "a", "PreferNoSchedule"))));
  }

  @ParameterizedTest
  @MethodSource("plans")
  void terraformReadsBackWhatItPlanned(TerraformNodePool plan) {
    JsonNode created = wire.post(POOLS, plan.manifest()).ok();
    assertThat(TerraformNodePool.read(created)).isEqualTo(plan);

    assertThat(TerraformNodePool.read(atRest(plan.name()))).isEqualTo(plan);
  }

  @ParameterizedTest
  @MethodSource("plans")
  void terraformChangesAPoolToWhatItPlannedAndBack(TerraformNodePool plan) {
    String path = POOLS + "/" + plan.name();
    TerraformNodePool minimal = TerraformNodePool.minimal(plan.name(), H100, 1);
    wire.post(POOLS, minimal.manifest()).ok();
    atRest(plan.name());

    assertThat(TerraformNodePool.read(wire.patch(path, MERGE_PATCH, plan.patch()).ok()))
        .isEqualTo(plan);
    assertThat(TerraformNodePool.read(atRest(plan.name()))).isEqualTo(plan);

    assertThat(TerraformNodePool.read(wire.patch(path, MERGE_PATCH, minimal.patch()).ok()))
        .isEqualTo(minimal);
    assertThat(TerraformNodePool.read(atRest(plan.name()))).isEqualTo(minimal);
  }

  @Test
  void terraformFindsADeletedPoolMissing() {
    wire.post(POOLS, TerraformNodePool.minimal(NAME, H100, 1).manifest()).ok();
    atRest(NAME);

    assertThat(wire.delete(POOL).code()).isEqualTo(200);

    eventually(() -> assertThat(wire.get(POOL).code()).isEqualTo(404));
    assertThat(wire.delete(POOL).code()).isEqualTo(404);
  }

  // coreweave/reference-architecture, terraform/modules/nodepool: kubernetes_manifest

  private static Map<String, Object> withZeros(Map<String, Object> more) {
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("autoscaling", false);
    spec.put("instanceType", H100);
    spec.put("maxNodes", 0);
    spec.put("minNodes", 0);
    spec.put("targetNodes", 0);
    spec.putAll(more);
    return Wire.manifest(NAME, spec);
  }

  private JsonNode apply(String manager, Map<String, Object> manifest) {
    return wire.patch(POOL + "?fieldManager=" + manager, APPLY, manifest).ok();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{}", "{'nodeTaints': [{'key': 'a', 'value': '', 'effect': 'NoSchedule'}]}"})
  void aManifestThatIsAppliedAgainChangesNothingWithoutConflict(String more) {
    Map<String, Object> manifest = withZeros(Wire.map(more));
    apply("Terraform", manifest);
    String first = version(unchanging(NAME));

    wire.patch(POOL + "?dryRun=All&fieldManager=Terraform", APPLY, manifest).ok();
    assertThat(version(apply("Terraform", manifest))).isEqualTo(first);
    assertThat(version(wire.get(POOL).ok())).isEqualTo(first);

    // Another manager that applies the same values shares the fields.
    String shared = version(apply("kubectl", manifest));
    assertThat(version(apply("kubectl", manifest))).isEqualTo(shared);
    JsonNode kept = apply("Terraform", manifest);
    assertThat(version(kept)).isEqualTo(shared);
    assertThat(kept.at("/metadata/generation").asInt()).isEqualTo(1);
    assertThat(kept.at("/metadata/finalizers")).isNotEmpty();
  }

  @Test
  void terraformsNextApplyReplacesItsPreviousOne() {
    apply("Terraform", withZeros(Map.of("nodeLabels", Map.of("team", "a"))));
    atRest(NAME);

    JsonNode next = apply("Terraform", withZeros(Map.of("targetNodes", 2)));

    assertThat(next.at("/spec/targetNodes").asInt()).isEqualTo(2);
    assertThat(next.at("/spec/minNodes").isInt()).isTrue();
    assertThat(next.at("/spec/nodeLabels").isMissingNode()).isTrue();
    assertThat(atRest(NAME).at("/status/currentNodes").asInt()).isEqualTo(2);
  }

  // stevefulme1/ansible-coreweave, plugins/modules/coreweave_node_pool.py and k8s_helper.py

  private static Map<String, Object> ansible() {
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("instanceType", H100);
    spec.put("computeClass", "default");
    spec.put("targetNodes", 2);
    spec.put("minNodes", 0);
    spec.put("maxNodes", 4);
    spec.put("autoscaling", true);
    spec.put("lifecycle", Map.of("scaleDownStrategy", "PreferIdle"));
    spec.put("nodeLabels", Map.of("workload-type", "training"));
    spec.put(
        "nodeTaints", List.of(Map.of("key", "dedicated", "value", "a", "effect", "NoSchedule")));
    return Wire.manifest(NAME, spec);
  }

  @Test
  void ansibleFindsNothingToChangeTheSecondTime() {
    Map<String, Object> manifest = ansible();
    assertThat(wire.get(POOL).code()).isEqualTo(404);
    wire.post(POOLS, manifest).ok();
    JsonNode stored = unchanging(NAME);
    assertThat(Wire.matches(stored.path("spec"), tree(manifest).path("spec"))).isTrue();

    JsonNode patched = wire.patch(POOL, MERGE_PATCH, manifest).ok();

    assertThat(version(patched)).isEqualTo(version(stored));
  }

  @Test
  void ansibleSizesAPoolInRacksAndEnablesPrefill() {
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("instanceType", "gb200-4x");
    spec.put("computeClass", "default");
    spec.put("targetRacks", 1);
    spec.put("autoscaling", false);
    spec.put("lifecycle", Map.of("scaleDownStrategy", "IdleOnly"));
    spec.put("gpu", Map.of("version", "550"));
    spec.put("prefill", Map.of("enabled", true, "timeout", "24h", "maxNodes", 3));
    Map<String, Object> manifest = Wire.manifest(NAME, spec);
    wire.post(POOLS, manifest).ok();

    JsonNode stored = atRest(NAME);

    assertThat(Wire.matches(stored.path("spec"), tree(manifest).path("spec"))).isTrue();
    assertThat(stored.at("/status/rackStatus"))
        .isEqualTo(tree(Map.of("target", 1, "current", 1, "queued", 0)));
  }

  // Infrawrench/Infrawrench, its CoreWeave plugin: nodepools

  @Test
  void aConsoleScalesAPoolToZeroAndBack() {
    wire.post(
            POOLS,
            "{'apiVersion': 'compute.coreweave.com/v1alpha1', 'kind': 'NodePool', 'metadata': {'name': 'written'},"
                + " 'spec': {'computeClass': 'default', 'instanceType': 'gd-8xh100ib-i128', 'targetNodes': 2, 'autoscaling': true, 'minNodes': 1, 'maxNodes': 3}}")
        .ok();
    atRest(NAME);

    wire.patch(
            POOL,
            MERGE_PATCH,
            "{'metadata': {'annotations': {'infrawrench.io/restore-scale': '{}'}}, 'spec': {'targetNodes': 0, 'autoscaling': false, 'minNodes': 0}}")
        .ok();
    JsonNode zero = atRest(NAME);
    assertThat(zero.at("/status/currentNodes").asInt()).isZero();
    assertThat(zero.at("/spec/minNodes").asInt()).isZero();
    assertThat(zero.at("/spec/maxNodes").asInt()).isEqualTo(3);

    wire.patch(
            POOL,
            MERGE_PATCH,
            "{'metadata': {'annotations': {'infrawrench.io/restore-scale': null}}, 'spec': {'targetNodes': 2, 'autoscaling': true, 'minNodes': 1, 'maxNodes': 3}}")
        .ok();
    assertThat(atRest(NAME).at("/status/currentNodes").asInt()).isEqualTo(2);
  }

  // vllm-project/production-stack: a Terraform tutorial whose empty maps become nulls

  @Test
  void whatATutorialLeavesNullIsAbsentAndItsNodesCome() {
    Map<String, Object> manifest =
        Wire.map(
            "{'apiVersion': 'compute.coreweave.com/v1alpha1', 'kind': 'NodePool', 'metadata': {'name': 'written'},"
                + " 'spec': {'instanceType': 'gd-8xh100ib-i128', 'targetNodes': 1, 'autoscaling': false, 'nodeLabels': null, 'nodeAnnotations': null,"
                + " 'nodeTaints': null, 'lifecycle': {'scaleDownStrategy': 'PreferIdle', 'disableUnhealthyNodeEviction': true}}}");

    wire.post(POOLS, manifest).ok();
    JsonNode stored = unchanging(NAME);

    assertThat(stored.path("spec").properties())
        .extracting(Map.Entry::getKey)
        .doesNotContain("nodeLabels", "nodeAnnotations", "nodeTaints", "minNodes", "maxNodes");
    assertThat(stored.at("/status/currentNodes").asInt()).isEqualTo(1);
    String version = version(stored);
    assertThat(version(wire.patch(POOL, MERGE_PATCH, manifest).ok())).isEqualTo(version);
  }

  // pulumi/pulumi-coreweave, its examples: no minNodes and maxNodes, strategy OnSpecUpdate

  @Test
  void aProgramThatNamesNoLimitsReadsNone() {
    JsonNode stored =
        apply(
            "pulumi-kubernetes",
            Wire.map(
                "{'apiVersion': 'compute.coreweave.com/v1alpha1', 'kind': 'NodePool', 'metadata': {'name': 'written'},"
                    + " 'spec': {'computeClass': 'default', 'instanceType': 'gd-8xh100ib-i128', 'targetNodes': 1, 'autoscaling': false,"
                    + " 'nodeConfigurationUpdateStrategy': {'type': 'OnSpecUpdate'}}}"));

    assertThat(stored.path("spec").has("minNodes") || stored.path("spec").has("maxNodes"))
        .isFalse();
    assertThat(atRest(NAME).at("/status/currentNodes").asInt()).isEqualTo(1);
  }

  // marin-community/marin: IRIS creates its pools by kubectl apply, below their least size

  @Test
  void aPoolMayBeCreatedBelowItsMinimumAndIsUnblockedByTheRunbook() {
    wire.post(
            POOLS + "?fieldManager=kubectl-client-side-apply&fieldValidation=Strict",
            "{'apiVersion': 'compute.coreweave.com/v1alpha1', 'kind': 'NodePool', 'metadata': {'name': 'written', 'labels': {'iris-scale-group': 'h100-8x'},"
                + " 'annotations': {'kubectl.kubernetes.io/last-applied-configuration': '{}'}},"
                + " 'spec': {'computeClass': 'default', 'instanceType': 'gd-8xh100ib-i128', 'autoscaling': true, 'targetNodes': 0, 'minNodes': 1, 'maxNodes': 4,"
                + " 'nodeLabels': {'iris-scale-group': 'h100-8x', 'cks.coreweave.cloud/system-critical': 'true', 'node.coreweave.cloud/dra-gpu-enabled': 'true'}}}")
        .ok();
    assertThat(atRest(NAME).at("/spec/targetNodes").asInt()).isZero();

    wire.patch(POOL, MERGE_PATCH, "{'spec': {'autoscaling': false, 'targetNodes': 0}}").ok();
    wire.delete(POOL).ok();
    Wire.Answer unstuck =
        wire.patch(POOL, Wire.JSON_PATCH, "[{'op': 'remove', 'path': '/metadata/finalizers'}]");

    // It may be deleted, or have no finalizers, before the runbook runs.
    assertThat(unstuck.code()).isIn(200, 404, 422);
    eventually(() -> assertThat(wire.get(POOL).code()).isEqualTo(404));
  }

  @Test
  void theConditionOfAClientThatRequestsAPowerResetIsKept() {
    wire.post(POOLS, TerraformNodePool.minimal(NAME, H100, 1).manifest()).ok();
    atRest(NAME);
    String node = nodes().getFirst();
    // Work keeps the Node, so that the request is only recorded.
    bind("first", node);
    eventually(() ->
        assertThat(condition(wire.get(node).ok(), "CWActive").path("status").asText())
            .isEqualTo("True"));
    String active = condition(wire.get(node).ok(), "CWActive").path("message").asText();
    wire.patch(
            node + "/status",
            Wire.JSON_PATCH,
            "[{'op': 'add', 'path': '/status/conditions/-', 'value': {'type': 'PendingPhaseState', 'status': 'True', 'reason': 'production-powerreset',"
                + " 'message': 'uv cache', 'lastHeartbeatTime': '2026-11-21T05:02:00Z', 'lastTransitionTime': '2026-11-21T05:02:00Z'}}]")
        .ok();
    wire.patch(
            node,
            Wire.JSON_PATCH,
            "[{'op': 'add', 'path': '/metadata/labels/node.coreweave.cloud~1pending-state', 'value': 'production-powerreset'}]")
        .ok();

    // The operator writes the Node's conditions and labels next.
    bind("second", node);
    wire.patch(POOL, MERGE_PATCH, "{'spec': {'nodeLabels': {'team': 'a'}}}").ok();
    eventually(() -> {
      JsonNode written = wire.get(node).ok();
      assertThat(condition(written, "CWActive").path("message").asText()).isNotEqualTo(active);
      assertThat(written.at("/metadata/labels/team").asText()).isEqualTo("a");
    });

    JsonNode kept = wire.get(node).ok();
    assertThat(condition(kept, "PendingPhaseState").path("reason").asText())
        .isEqualTo("production-powerreset");
    assertThat(kept.at("/metadata/labels/node.coreweave.cloud~1pending-state").asText())
        .isEqualTo("production-powerreset");
    wire.patch(
            node,
            MERGE_PATCH,
            "{'metadata': {'labels': {'node.coreweave.cloud/pending-state': null}}}")
        .ok();
    Stream.of("first", "second")
        .forEach(name -> wire.delete(PODS + "/" + name + "?gracePeriodSeconds=0").ok());
  }

  /** Binds a Pod to the Node with this path. */
  private void bind(String name, String node) {
    wire.post(
            PODS,
            "{'apiVersion': 'v1', 'kind': 'Pod', 'metadata': {'name': '%s'}, 'spec': {'nodeName': '%s', 'containers': [{'name': 'a', 'image': 'example.com/a:1'}]}}"
                .formatted(name, node.substring(node.lastIndexOf('/') + 1)))
        .ok();
  }

  /** Paths of the pool's Nodes. */
  private List<String> nodes() {
    return Wire.items(
            wire.get("/api/v1/nodes?labelSelector=compute.coreweave.com/node-pool=" + NAME).ok())
        .map(node -> "/api/v1/nodes/" + node.at("/metadata/name").asText())
        .toList();
  }

  private static JsonNode condition(JsonNode object, String type) {
    for (JsonNode condition : object.at("/status/conditions")) {
      if (condition.path("type").asText().equals(type)) {
        return condition;
      }
    }
    return MissingNode.getInstance();
  }
}
