package io.nodepool.kubernetes.api;

import static io.nodepool.kubernetes.api.CrdCluster.merge;
import static io.nodepool.kubernetes.api.CrdCluster.mergeStatus;
import static io.nodepool.kubernetes.api.CrdCluster.refused;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.nodepool.local.WithLocalCluster;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The behaviour of a real API server with the CRDs: defaults, rejections, and fields with several
 * owners.
 */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CrdIT {
  private static final String POOL = "crd-it";
  private static final String HOST = "gcd0117";

  private final KubernetesClient client;
  private final CrdCluster cluster;

  CrdIT(KubernetesClient client) {
    this.client = client;
    this.cluster = new CrdCluster(client);
  }

  @BeforeEach
  @AfterEach
  void clear() {
    cluster.pool(POOL).delete();
    cluster.host(HOST).delete();
  }

  @Test
  void defaultsAreThoseOfTheSampleAndTheComputeClass() {
    GenericKubernetesResource pool =
        cluster.createPool(POOL, "{'instanceType': 'gd-8xa100-i128', 'targetNodes': 1}");
    assertThat(pool.<Map<String, Object>>get("spec"))
        .containsOnly(
            Map.entry("autoscaling", false),
            Map.entry("computeClass", "default"),
            Map.entry("instanceType", "gd-8xa100-i128"),
            Map.entry(
                "lifecycle",
                Map.of("disableUnhealthyNodeEviction", true, "scaleDownStrategy", "IdleOnly")),
            Map.entry("nodeConfigurationUpdateStrategy", Map.of("type", "OnSpecUpdate")),
            Map.entry("targetNodes", 1));
  }

  @Test
  void givenBlocksHaveTheirOwnDefaults() {
    GenericKubernetesResource pool =
        cluster.createPool(
            POOL,
            "{'instanceType': 'x', 'targetNodes': 1, 'nodeConfigurationUpdateStrategy': {}, 'prefill': {'enabled': true}, 'image': {},"
                + " 'lifecycle': {'scaleDownStrategy': 'PreferIdle'}}");
    assertThat(pool.<Map<String, Object>>get("spec"))
        .containsEntry("nodeConfigurationUpdateStrategy", Map.of("type", "OnSpecUpdate"))
        .containsEntry("prefill", Map.of("enabled", true, "maxNodes", 3, "timeout", "24h"))
        .containsEntry("image", Map.of("releaseTrain", "stable"))
        .containsEntry(
            "lifecycle",
            Map.of("disableUnhealthyNodeEviction", true, "scaleDownStrategy", "PreferIdle"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'instanceType': 'x'} | give exactly one of targetNodes and targetRacks",
        "{'instanceType': 'x', 'targetNodes': 1, 'targetRacks': 1} | give exactly one of targetNodes and targetRacks",
        "{'targetNodes': 1} | spec.instanceType: Required value",
        "{'instanceType': 'x', 'targetNodes': -1} | greater than or equal to 0",
        "{'instanceType': 'x', 'targetNodes': 1.5} | must be of type integer",
        "{'instanceType': 'x', 'targetNodes': 1, 'computeClass': 'SPOT'} | supported values: \"default\", \"spot\", \"Spot\"",
        "{'instanceType': 'x', 'targetRacks': 1, 'autoscaling': true} | a pool sized by targetRacks cannot be autoscaled",
        "{'instanceType': 'x', 'targetNodes': 1, 'autoscaling': true, 'minNodes': 3, 'maxNodes': 2} | minNodes has to be at most maxNodes",
        "{'instanceType': 'x', 'targetNodes': 1, 'image': {'name': 'n', 'kernel': 'k'}} | image.name stands alone",
        "{'instanceType': 'x', 'targetNodes': 1, 'image': {'name': 'n', 'releaseTrain': 'latest'}} | image.name stands alone",
        "{'instanceType': 'x', 'targetNodes': 1, 'prefill': {'enabled': true}, 'autoscaling': true} | prefill works with autoscaling false",
        "{'instanceType': 'x', 'targetNodes': 1, 'prefill': {'enabled': true}, 'computeClass': 'spot'} | prefill works with autoscaling false",
        "{'instanceType': 'x', 'targetNodes': 1, 'prefill': {'maxNodes': 5}} | less than or equal to 4",
        "{'instanceType': 'x', 'targetNodes': 1, 'prefill': {'timeout': '1d'}} | spec.prefill.timeout in body should match",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeLabels': {'a.coreweave.com/b': 'c'}} | Namespaces `*.coreweave.cloud` or `*.coreweave.com` are not allowed.",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeAnnotations': {'Coreweave.Cloud/b': 'c'}} | Namespaces `*.coreweave.cloud` or `*.coreweave.com` are not allowed.",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeLabels': {'a': 'b c'}} | the value of \"a\" is invalid: must be empty, or at most 63",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeLabels': {'bad key': 'x'}} | the key \"bad key\" is invalid: must be NAME or DOMAIN/NAME",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeLabels': {'Example.com/a': 'x'}} | the key \"Example.com/a\" is invalid",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeAnnotations': {'a/b/c': 'x'}} | the key \"a/b/c\" is invalid",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeAnnotations': {'node.alpha.kubernetes.io/ttl': '1'}} | the key \"node.alpha.kubernetes.io/ttl\" is set by Kubernetes itself",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeTaints': [{'key': 'a b', 'effect': 'NoExecute'}]} | the key \"a b\" is invalid",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeTaints': [{'key': 'a', 'value': 'c d', 'effect': 'NoExecute'}]} | the value of \"a\" is invalid",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeTaints': [{'key': 'a', 'effect': 'No'}]} | supported values: \"NoSchedule\"",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeTaints': [{'key': 'node.kubernetes.io/disk-pressure', 'effect': 'NoSchedule'}]} | the key \"node.kubernetes.io/disk-pressure\" is set and removed by Kubernetes or the platform",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeTaints': [{'key': 'sunk.coreweave.com/lock', 'effect': 'NoExecute'}]} | is set and removed by Kubernetes or the platform",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeTaints': [{'key': 'ToBeDeletedByClusterAutoscaler', 'effect': 'NoSchedule'}]} | is set and removed by Kubernetes or the platform",
        "{'instanceType': 'x', 'targetNodes': 1000001} | less than or equal to 1000000",
        "{'instanceType': 'x', 'targetRacks': 50001} | less than or equal to 50000",
        "{'instanceType': 'x', 'targetNodes': 1, 'maxNodes': 1000001} | less than or equal to 1000000",
        "{'instanceType': 'x', 'targetNodes': 1, 'schedulingPriority': {'value': 2147483648}} | less than or equal to 2147483647",
        "{'instanceType': 'x', 'targetNodes': 1, 'gpu': {'version': '580.65'}} | gpu.version is the major version of the driver, digits only",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeTaints': [{'key': 'a', 'effect': 'NoExecute'}, {'key': 'a', 'effect': 'NoExecute', 'value': 'b'}]} | Duplicate value"
      })
  void anInvalidSpecIsRejected(String spec, String message) {
    refused(() -> cluster.createPool(POOL, spec), message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'instanceType': 'x', 'targetNodes': 0, 'autoscaling': true, 'minNodes': 3, 'maxNodes': 9}",
        "{'instanceType': 'x', 'targetNodes': 0, 'autoscaling': true, 'minNodes': 3}",
        "{'instanceType': 'x', 'targetNodes': 5, 'minNodes': 9, 'maxNodes': 1}",
        "{'instanceType': 'x', 'targetNodes': 1, 'computeClass': 'Spot', 'region': 'EU-SOUTH-04A'}",
        "{'instanceType': 'x', 'targetRacks': 2, 'schedulingPriority': {'value': -5}}",
        "{'instanceType': 'x', 'targetNodes': 1, 'image': {'name': 'n', 'kernel': ''}, 'gpu': {'version': '580'}}",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeLabels': {'cks.coreweave.cloud/system-critical': 'true', 'node.coreweave.cloud/dra-gpu-enabled': 'true', 'notcoreweave.com/a': ''}}",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeTaints': [{'key': 'a', 'effect': 'NoExecute'}, {'key': 'a', 'effect': 'NoSchedule'}]}",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeTaints': [{'key': 'nvidia.com/gpu', 'value': '', 'effect': 'NoSchedule'}]}",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeAnnotations': {'Example.com/Contact': 'a b', 'cluster-autoscaler.kubernetes.io/scale-down-disabled': 'true'}}",
        "{'instanceType': 'x', 'targetNodes': 1, 'autoscaling': true, 'minNodes': 3, 'maxNodes': 0}",
        "{'instanceType': 'x', 'targetNodes': 1, 'autoscaling': true, 'maxNodes': 3}",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeConfigurationUpdateStrategy': {'type': 'RolloutOnCommand'}}"
      })
  void requestsOfRealClientsAreAccepted(String spec) {
    assertThat(cluster.createPool(POOL, spec).getMetadata().getUid()).isNotBlank();
  }

  @Test
  void typeAndClassAreImmutableButTheSpellingOfSpotMayChange() {
    cluster.createPool(POOL, "{'instanceType': 'x', 'targetNodes': 1, 'computeClass': 'Spot'}");
    refused(
        () -> merge(cluster.pool(POOL), "{'spec': {'instanceType': 'y'}}"),
        "InstanceType cannot be changed; create another NodePool for the other type");
    refused(
        () -> merge(cluster.pool(POOL), "{'spec': {'computeClass': null}}"),
        "computeClass cannot be changed; create another NodePool for the other class");
    assertThat(
            merge(cluster.pool(POOL), "{'spec': {'computeClass': 'spot'}}").getSpec().computeClass)
        .isEqualTo("spot");
  }

  @Test
  void thePatchOfTheAutoscalerChangesTheTargetOnly() {
    cluster.createPool(
        POOL,
        "{'instanceType': 'x', 'targetNodes': 1, 'autoscaling': true, 'maxNodes': 9, 'nodeLabels': {'a': 'b'}}");
    NodePool patched = merge(cluster.pool(POOL), "{'spec': {'targetNodes': 7}}");
    assertThat(patched.getSpec().targetNodes).isEqualTo(7);
    assertThat(patched.getSpec().maxNodes).isEqualTo(9);
    assertThat(patched.getSpec().nodeLabels).containsExactly(Map.entry("a", "b"));
  }

  @Test
  void aFieldThatATypedClientOmitsStaysAbsentAndANullRemovesIt() {
    String spec =
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeTaints': [{'key': 'a', 'value': '', 'effect': 'NoExecute'}], 'minNodes': 2, 'maxNodes': 3, 'autoscaling': true}";
    GenericKubernetesResource created = cluster.createPool(POOL, spec);
    assertThat(created.<List<Map<String, Object>>>get("spec", "nodeTaints"))
        .containsExactly(Map.of("key", "a", "value", "", "effect", "NoExecute"));

    NodePool patched =
        merge(
            cluster.pool(POOL),
            "{'spec': {'minNodes': null, 'maxNodes': null, 'nodeLabels': null, 'nodeTaints': null,"
                + " 'nodeConfigurationUpdateStrategy': {'type': 'RolloutOnCommand'}}}");
    assertThat(patched.getSpec().minNodes).isNull();
    assertThat(patched.getSpec().maxNodes).isNull();
    assertThat(patched.getSpec().nodeTaints).isEmpty();
    assertThat(patched.getSpec().nodeConfigurationUpdateStrategy.type)
        .isEqualTo(NodePoolSpec.UpdateStrategyType.ROLLOUT_ON_COMMAND);
    assertThat(
            merge(cluster.pool(POOL), "{'spec': {'nodeConfigurationUpdateStrategy': null}}")
                .getSpec()
                .nodeConfigurationUpdateStrategy
                .type)
        .isEqualTo(NodePoolSpec.UpdateStrategyType.ON_SPEC_UPDATE);
  }

  @Test
  void anObjectThatWasStoredBeforeTheRulesCanBeSizedAndReportedAndDeleted() {
    String name = "n".repeat(64);
    cluster.withoutRules(() -> {
      cluster.createPool(
          name,
          "{'instanceType': 'x', 'targetNodes': 1, 'minNodes': 0, 'maxNodes': 0, 'nodeLabels': {'bad key': 'x'}, 'nodeAnnotations': {'a b': 'x'},"
              + " 'nodeTaints': [{'key': 'node.kubernetes.io/disk-pressure', 'effect': 'NoSchedule'}], 'gpu': {'version': '580.65'}}");
      merge(cluster.pool(name), "{'metadata': {'finalizers': ['example.com/held']}}");
    });

    NodePool stored = merge(cluster.pool(name), "{'spec': {'targetNodes': 2}}");
    assertThat(stored.getSpec().minNodes).isZero();
    assertThat(stored.getSpec().nodeLabels).containsKey("bad key");
    mergeStatus(cluster.pool(name), "{'status': {'currentNodes': 1}}");
    refused(
        () -> merge(cluster.pool(name), "{'spec': {'nodeLabels': {'worse key': 'x'}}}"),
        "is invalid");

    cluster.pool(name).delete();
    merge(cluster.pool(name), "{'metadata': {'finalizers': null}}");
    assertThat(cluster.pool(name).get()).isNull();
  }

  @Test
  void aNameThatIsNotAValidLabelIsRejected() {
    refused(
        () -> cluster.createPool("n".repeat(64), "{'instanceType': 'x', 'targetNodes': 1}"),
        "the name of a NodePool has at most 63 characters");
  }

  @Test
  void fieldsOfForeignConditionsAreKept() {
    cluster.createPool(POOL, "{'instanceType': 'x', 'targetNodes': 1}");
    StatusCondition audited = condition("Audited");
    audited.observedGeneration = 7L;
    cluster.applyStatus("other", poolWith(audited));
    NodePool after = cluster.applyStatus("nodepool", poolWith(condition("Validated")));
    assertThat(after.getStatus().conditions)
        .filteredOn(condition -> condition.type.equals("Audited"))
        .extracting(condition -> condition.observedGeneration)
        .containsExactly(7L);
  }

  @Test
  void conditionsOfOtherOwnersAreKept() {
    cluster.createPool(POOL, "{'instanceType': 'x', 'targetNodes': 1}");
    cluster.applyStatus("other", poolWith(condition("Audited")));
    cluster.applyStatus("nodepool", poolWith(condition("Validated"), condition("Quota")));
    NodePool after = cluster.applyStatus("nodepool", poolWith(condition("Validated")));
    assertThat(after.getStatus().conditions)
        .extracting(condition -> condition.type)
        .containsExactlyInAnyOrder("Audited", "Validated");
  }

  @Test
  void taintsOfTwoOwnersCoexist() {
    cluster.createPool(POOL, "{'instanceType': 'x', 'targetNodes': 1}");
    cluster.apply("one", NodePool.class, poolWithTaint("NoSchedule"));
    NodePool both = cluster.apply("two", NodePool.class, poolWithTaint("NoExecute"));
    assertThat(both.getSpec().nodeTaints)
        .extracting(taint -> taint.effect)
        .containsExactlyInAnyOrder("NoSchedule", "NoExecute");
  }

  @Test
  void onlyAFreeHostIsAssigned() {
    cluster.createHost(HOST);
    refused(() -> assign("u1", 1), "only a Host whose status.phase is Free can be assigned");
    mergeStatus(cluster.host(HOST), "{'status': {'phase': 'Running'}}");
    refused(() -> assign("u1", 1), "only a Host whose status.phase is Free can be assigned");
    free();
    assertThat(assign("u1", 1).getSpec().tenancy).isEqualTo(1);
  }

  @Test
  void aHostChangesItsPoolOnlyWhenUnassigned() {
    cluster.createHost(HOST);
    free();
    assign("u1", 1);
    refused(() -> assign("u2", 1), "the Host is assigned to another pool");
    refused(() -> assign("u2", 2), "the Host is assigned to another pool");
    assertThat(merge(cluster.host(HOST), "{'spec': {'assignment': null}}").getSpec().assignment)
        .isNull();
    assertThat(assign("u2", 2).getSpec().tenancy).isEqualTo(2);
  }

  @Test
  void theTenancyCountsAssignmentsAndNothingElse() {
    cluster.createHost(HOST);
    free();
    refused(() -> assign("u1", 0), "spec.tenancy counts assignments");
    refused(() -> assign("u1", 2), "spec.tenancy counts assignments");
    refused(
        () -> merge(cluster.host(HOST), "{'spec': {'tenancy': 1}}"),
        "spec.tenancy counts assignments");
    assign("u1", 1);
    refused(
        () -> merge(cluster.host(HOST), "{'spec': {'assignment': null, 'tenancy': 0}}"),
        "spec.tenancy counts assignments");
  }

  @Test
  void aRunningHostIsNotUnassignedUnlessItWasPoweredOff() {
    cluster.createHost(HOST);
    free();
    assign("u1", 1);
    mergeStatus(cluster.host(HOST), "{'status': {'phase': 'Running', 'tenancy': 1}}");
    refused(
        () -> merge(cluster.host(HOST), "{'spec': {'assignment': null}}"),
        "the machine runs for its pool, perhaps with Pods of a tenant");

    merge(cluster.host(HOST), "{'spec': {'power': 'Off'}}");
    assertThat(
            merge(cluster.host(HOST), "{'spec': {'assignment': null, 'power': 'On'}}")
                .getSpec()
                .assignment)
        .isNull();
  }

  @Test
  void aDeliveryThatHasBegunCanBeCancelledAndIsAssignedOnlyOnceFree() {
    cluster.createHost(HOST);
    free();
    assign("u1", 1);
    mergeStatus(cluster.host(HOST), "{'status': {'phase': 'Booting', 'tenancy': 1}}");
    assertThat(merge(cluster.host(HOST), "{'spec': {'assignment': null}}").getSpec().assignment)
        .isNull();
    refused(() -> assign("u2", 2), "only a Host whose status.phase is Free can be assigned");
    free();
    assertThat(assign("u2", 2).getSpec().tenancy).isEqualTo(2);
  }

  @Test
  void nobodySaysOfALaterTenancyThatItsMachineIsFenced() {
    cluster.createHost(HOST);
    free();
    assign("u1", 1);
    refused(
        () ->
            merge(
                cluster.host(HOST),
                "{'spec': {'fenced': {'tenancy': 2, 'at': '2026-11-21T05:02:00Z'}}}"),
        "spec.fenced.tenancy is later than spec.tenancy");
    mergeStatus(
        cluster.host(HOST),
        "{'status': {'phase': 'Failed', 'tenancy': 1, 'power': {'state': 'Unknown'}, 'maintenance': true}}");
    assertThat(
            merge(
                    cluster.host(HOST),
                    "{'spec': {'fenced': {'tenancy': 1, 'at': '2026-11-21T05:02:00Z'}}}")
                .getSpec()
                .fenced)
        .isNotNull();
    refused(
        () -> mergeStatus(cluster.host(HOST), "{'status': {'power': {'state': 'Perhaps'}}}"),
        "Unsupported value");
  }

  @Test
  void theFleetWritesTheStatusOfAnAssignedHostAndTheOperatorTheRest() {
    cluster.createHost(HOST);
    free();
    assign("u1", 1);
    mergeStatus(
        cluster.host(HOST),
        "{'status': {'phase': 'Running', 'tenancy': 1, 'bootId': 'b', 'since': '2026-11-21T05:02:00Z',"
            + " 'signals': [{'name': 'GPUVeryHot', 'observedAt': '2026-11-21T05:02:00Z'}]}}");
    HostResource host =
        merge(cluster.host(HOST), "{'spec': {'power': 'Off', 'configuration': 'c'}}");
    assertThat(host.getSpec().power).isEqualTo(HostSpec.Power.OFF);
    assertThat(host.getStatus().phase).isEqualTo(HostStatus.Phase.RUNNING);
    assertThat(host.getStatus().signals).hasSize(1);
    refused(
        () -> mergeStatus(cluster.host(HOST), "{'status': {'since': 'yesterday'}}"),
        "must be of type date-time");
  }

  @Test
  void aBootIsRequestedOnlyWhileTheHostIsAssignedAndTheRequestStays() {
    cluster.createHost(HOST);
    free();
    refused(() -> boot("b1", 1, "Reboot", "op-1"), "spec.boot can be changed only while the Host");
    assign("u1", 1);
    boot("b1", 1, "Reboot", "op-1");
    merge(cluster.host(HOST), "{'spec': {'power': 'Off'}}");
    merge(cluster.host(HOST), "{'spec': {'assignment': null, 'power': 'On'}}");
    refused(
        () -> merge(cluster.host(HOST), "{'spec': {'boot': null}}"),
        "spec.boot can be changed only while the Host");
    free();
    HostSpec.BootSpec kept = Objects.requireNonNull(assign("u2", 2).getSpec().boot);
    assertThat(kept.from).isEqualTo("b1");
  }

  @Test
  void theTriesOfAnOperationOnlyGoUp() {
    cluster.createHost(HOST);
    free();
    assign("u1", 1);
    boot("b1", 2, "Reboot", "op-1");
    refused(() -> boot("b1", 1, "Reboot", "op-1"), "spec.boot.try counts the tries");
    boot("b1", 2, "PowerReset", "op-1");
    boot("b1", 3, "Reboot", "op-1");
    boot("b2", 1, "Reboot", "op-1");
    boot("b2", 2, "Reboot", "op-1");
    boot("b2", 1, "Reboot", "op-2");
    refused(() -> boot("b2", 0, "Reboot", "op-3"), "should be greater than or equal to 1");
    refused(() -> boot("b2", 1, "Melt", "op-3"), "Unsupported value: \"Melt\"");
  }

  private HostResource boot(String from, int attempt, String kind, String operation) {
    return merge(
        cluster.host(HOST),
        "{'spec': {'boot': {'from': '%s', 'try': %d, 'kind': '%s', 'operation': '%s'}}}"
            .formatted(from, attempt, kind, operation));
  }

  @Test
  void theMachineOfAHostIsImmutable() {
    cluster.createHost(HOST);
    refused(
        () -> merge(cluster.host(HOST), "{'spec': {'machine': {'zone': 'RNO2A'}}}"),
        "spec.machine cannot be changed");
    refused(
        () -> merge(cluster.host(HOST), "{'spec': {'machine': {'slot': '3'}}}"),
        "spec.machine cannot be changed");
  }

  @Test
  void ofTwoPoolsThatAssignOneHostAtOnceOneIsRefused() throws Exception {
    cluster.createHost(HOST);
    free();
    try (ExecutorService two = Executors.newFixedThreadPool(2)) {
      List<Callable<Integer>> rivals = List.of(() -> answerTo("u1"), () -> answerTo("u2"));
      List<Future<Integer>> answers = two.invokeAll(rivals);
      assertThat(List.of(answers.get(0).get(), answers.get(1).get()))
          .containsExactlyInAnyOrder(200, 422);
    }
  }

  @Test
  void durationsOfASimulatedFleetAreText() {
    assertThat(fleetBooting("1h30m").getMetadata().getName()).isEqualTo(POOL);
    client.resources(SimulatedFleet.class).withName(POOL).delete();
    refused(() -> fleetBooting("PT5S"), "spec.timings.bootMin in body should match");
  }

  private SimulatedFleet fleetBooting(String least) {
    return cluster.apply(
        "crd-test",
        SimulatedFleet.class,
        "{'apiVersion': 'fleet.nodepool.io/v1alpha1', 'kind': 'SimulatedFleet', 'metadata': {'name': '%s'}, 'spec': {'zone': 'RNO2A', 'timings': {'bootMin': '%s'}}}"
            .formatted(POOL, least));
  }

  private int answerTo(String uid) {
    try {
      assign(uid, 1);
      return 200;
    } catch (KubernetesClientException refusal) {
      return refusal.getCode();
    }
  }

  private HostResource assign(String uid, int tenancy) {
    return merge(
        cluster.host(HOST),
        "{'spec': {'tenancy': %d, 'assignment': {'pool': 'pool-of-%s', 'poolUid': '%s'}}}"
            .formatted(tenancy, uid, uid));
  }

  private void free() {
    mergeStatus(cluster.host(HOST), "{'status': {'phase': 'Free', 'tenancy': 0}}");
  }

  private static NodePool poolWith(StatusCondition... conditions) {
    NodePool pool = new NodePool();
    pool.getMetadata().setName(POOL);
    pool.setStatus(new NodePoolStatus());
    pool.getStatus().conditions.addAll(List.of(conditions));
    return pool;
  }

  private static StatusCondition condition(String type) {
    StatusCondition condition = new StatusCondition();
    condition.type = type;
    condition.status = "True";
    return condition;
  }

  private static String poolWithTaint(String effect) {
    return "{'apiVersion': 'compute.coreweave.com/v1alpha1', 'kind': 'NodePool', 'metadata': {'name': '%s'}, 'spec': {'instanceType': 'x', 'targetNodes': 1, 'nodeTaints': [{'key': 'a', 'effect': '%s'}]}}"
        .formatted(POOL, effect);
  }
}
