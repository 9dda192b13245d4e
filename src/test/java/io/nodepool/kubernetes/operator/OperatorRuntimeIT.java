package io.nodepool.kubernetes.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.nodepool.control.LoopSettings;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.kubernetes.ClientEdit;
import io.nodepool.kubernetes.PollingFleet;
import io.nodepool.kubernetes.TestCluster;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodeTaint;
import io.nodepool.kubernetes.client.RequestCounts;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.leader.Leadership;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.model.pool.Condition;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.Metric;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.time.Duration;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The operator as a process on a real API server with a fleet. */
@WithLocalCluster
class OperatorRuntimeIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Set<String> AT_REST = Set.of("get leases", "patch leases", "update leases");

  private final Config config;
  private final KubernetesClient admin;
  private final PollingFleet fleet;
  private final List<String> ends = new CopyOnWriteArrayList<>();

  OperatorRuntimeIT(LocalCluster cluster, KubernetesClient admin) {
    this.config = Config.fromKubeconfig(cluster.kubeconfig());
    this.admin = admin;
    this.fleet = new PollingFleet(admin);
  }

  @BeforeEach
  void prepare() {
    TestCluster.prepare(admin);
    fleet.start();
  }

  @AfterEach
  void cleanUp() {
    fleet.close();
    TestCluster.removePools(admin);
    admin.resources(HostResource.class).delete();
    admin.nodes().delete();
    admin.configMaps().inNamespace(OperatorRuntime.NAMESPACE).withName(OfferDocument.NAME).delete();
    admin.v1().events().inNamespace("default").delete();
  }

  private OperatorRuntime operator(String identity) {
    return operator(identity, new SimpleMeterRegistry());
  }

  private OperatorRuntime operator(String identity, MeterRegistry meters) {
    return OperatorRuntime.start(
        config,
        new OperatorRuntime.Options(
            OperatorRuntime.NAMESPACE,
            identity,
            InstanceCatalogue.bundled(),
            PlanSettings.DEFAULTS,
            ControlPlaneNamespaces.DEFAULTS,
            LoopSettings.DEFAULTS,
            InstantSource.system(),
            new OperatorRuntime.Reporting(meters, ends::add)));
  }

  private void pool(String name, int target) {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName(name).build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = TestCluster.TYPE;
    spec.targetNodes = target;
    pool.setSpec(spec);
    admin.resource(pool).create();
  }

  private boolean is(String pool, PoolReason reason) {
    NodePool stored = admin.resources(NodePool.class).withName(pool).get();
    return stored != null
        && PoolConversion.status(stored.getStatus())
            .condition(reason.condition())
            .map(Condition::reason)
            .filter(reason::equals)
            .isPresent();
  }

  private void awaitTargetMet(String pool) {
    await().atMost(SOON).until(() -> is(pool, AtTargetReason.TARGET_MET));
  }

  private long held() {
    return admin.resources(HostResource.class).list().getItems().stream()
        .filter(host -> host.getSpec().assignment != null)
        .count();
  }

  @Test
  void aPoolReachesItsTargetIsQuietAtRestAndIsDeletedCompletely() {
    pool("whole-life", 8);
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (OperatorRuntime operator = operator("one", meters)) {
      awaitTargetMet("whole-life");
      assertThat(held()).isEqualTo(8);
      NodePool stored = admin.resources(NodePool.class).withName("whole-life").get();
      assertThat(stored.getStatus().currentNodes).isEqualTo(8);
      assertThat(stored.getStatus().conditions)
          .extracting(condition -> condition.type)
          .containsExactlyInAnyOrder(
              "Validated", "AtTarget", "Capacity", "Quota", "NodeReconfigurationRequired");
      assertThat(operator.isPlanning()).isTrue();
      assertThat(operator.isReady()).isTrue();
      assertThat(operator.isHealthy()).isTrue();

      assertNothingIsWrittenAtRest(operator);
      assertEveryMetricIsServed(meters.scrape());

      admin.resources(NodePool.class).withName("whole-life").delete();
      await()
          .atMost(SOON)
          .until(() -> admin.resources(NodePool.class).withName("whole-life").get() == null);
      assertThat(held()).isZero();
      assertThat(admin.nodes().list().getItems()).isEmpty();
      assertThat(eventReasons())
          .contains("CWNodePoolCreated", "CWNodeAssigned", "CWNodeRegistered", "CWNodePoolDeleted");
    }
    assertThat(ends).isEmpty();
  }

  /** Asserts that nothing is sent at rest except for the Lease. */
  private static void assertNothingIsWrittenAtRest(OperatorRuntime operator) {
    RequestCounts[] before = {operator.requests()};
    await()
        .atMost(SOON)
        .during(Duration.ofSeconds(4))
        .pollInterval(Duration.ofMillis(200))
        .until(() -> {
          RequestCounts now = operator.requests();
          boolean still = AT_REST.containsAll(now.since(before[0]).byKind().keySet());
          before[0] = now;
          return still;
        });
  }

  private static void assertEveryMetricIsServed(String page) {
    assertThat(page)
        .contains("nodepool_pool_nodes{pool=\"whole-life\",state=\"current\"} 8.0")
        .contains("nodepool_leader 1.0")
        .contains("nodepool_writes{state=\"in_doubt\"} 0.0");
    // Those of the process, those that are sampled every few seconds or stand for what is not
    // there, and those of spot pools.
    Set<Metric> notOfThisPool =
        EnumSet.of(
            Metric.BUILD,
            Metric.JVM_MEMORY_PEAK,
            Metric.ALERTS_STANDING,
            Metric.MATTERS,
            Metric.RACK_MATTERS,
            Metric.HOSTS,
            Metric.QUOTA,
            Metric.POOL_NODES_IN_WORK,
            Metric.POOL_NODES_IN_WORK_AGE,
            Metric.POOL_SPOT_NODE_SECONDS,
            Metric.POOL_PREEMPTIONS,
            Metric.POOL_PREEMPTED_PODS,
            Metric.REPAIR_DURATION,
            Metric.REPAIR_INTERVAL,
            Metric.POOL_LIMIT,
            Metric.POOL_LIMIT_USE,
            Metric.POOL_QUEUE_POSITION,
            Metric.POOL_REPAIRS_WAITING,
            Metric.POOL_QUEUE_AGE,
            Metric.POOL_ROLLOUT_NODES,
            Metric.POOL_ROLLOUT_AGE,
            Metric.POOL_DRAINS_BLOCKED);
    assertThat(Metric.values())
        .filteredOn(metric ->
            !notOfThisPool.contains(metric)
                // Those of a process of its own.
                && !metric.name().startsWith("RECEIVER_"))
        .allSatisfy(metric -> assertThat(page).contains(metric.names()));
  }

  private List<String> eventReasons() {
    return admin.v1().events().inNamespace("default").list().getItems().stream()
        .map(Event::getReason)
        .toList();
  }

  @Test
  void aChangeOfTheSpecsMetadataReachesEveryNodeInOneWriteAndForeignMetadataRemains() {
    pool("metadata", 6);
    try (OperatorRuntime operator = operator("one")) {
      awaitTargetMet("metadata");
      admin.nodes().list().getItems().forEach(this::markAsAnotherClient);
      carrying("metadata", Map.of("team", "a", "stage", "one"), taint("dedicated", "a"));
      await()
          .atMost(SOON)
          .until(() -> admin.nodes().withLabel("team", "a").list().getItems().size() == 6);
      assertNothingIsWrittenAtRest(operator);
      RequestCounts before = operator.requests();

      carrying("metadata", Map.of("team", "b"), taint("dedicated", "b"));
      await()
          .atMost(SOON)
          .until(() -> admin.nodes().withLabel("team", "b").list().getItems().size() == 6);
      assertNothingIsWrittenAtRest(operator);

      assertThat(operator.requests().since(before).byKind()).containsEntry("patch nodes", 6L);
      assertThat(admin.nodes().list().getItems())
          .allSatisfy(node -> {
            assertThat(node.getMetadata().getLabels())
                .containsEntry("somebody", "else")
                .doesNotContainKey("stage");
            assertThat(node.getSpec().getTaints())
                .filteredOn(taint -> !taint.getKey().startsWith("is_"))
                .extracting(Taint::getKey, Taint::getValue)
                .containsExactly(tuple("somebody/else", "x"), tuple("dedicated", "b"));
          });
      assertThat(admin.v1().events().inNamespace("default").list().getItems())
          .filteredOn(event -> event.getReason().equals("CWNodePoolMetadata"))
          .extracting(Event::getCount)
          .containsExactly(6, 6);
    }
  }

  private void markAsAnotherClient(Node node) {
    ClientEdit.replaced(
        admin.nodes().withName(ObjectFacts.name(node)),
        stored ->
            stored
                .edit()
                .editMetadata()
                .addToLabels("somebody", "else")
                .endMetadata()
                .editSpec()
                .addNewTaint("NoSchedule", "somebody/else", null, "x")
                .endSpec()
                .build());
  }

  private static NodeTaint taint(String key, String value) {
    NodeTaint taint = new NodeTaint();
    taint.key = key;
    taint.value = value;
    taint.effect = "NoSchedule";
    return taint;
  }

  private void carrying(String pool, Map<String, String> labels, NodeTaint taint) {
    ClientEdit.edited(
        admin.resources(NodePool.class).withName(pool),
        stored -> {
          stored.getSpec().nodeLabels = new TreeMap<>(labels);
          stored.getSpec().nodeTaints = List.of(taint);
        });
  }

  @Test
  void aNodeIsActiveWhileATenantPodIsBoundToIt() {
    pool("active", 1);
    try (OperatorRuntime _ = operator("one")) {
      awaitTargetMet("active");
      String node = ObjectFacts.name(admin.nodes().list().getItems().getFirst());
      Pod pod = admin.resource(tenantPod(node)).create();
      try {
        await().atMost(SOON).until(() -> active(node).equals("True"));

        // Without a version: controllers of the cluster write the Pod too.
        admin
            .resource(pod)
            .subresource("status")
            .patch(
                PatchContext.of(PatchType.STRATEGIC_MERGE),
                "{\"status\": {\"phase\": \"Succeeded\"}}");
        await().atMost(SOON).until(() -> active(node).equals("False"));
      } finally {
        admin.resource(pod).withGracePeriod(0).delete();
      }
    }
  }

  @Test
  void theNamespacesOfTheControlPlaneAreLabelledAndOthersAreNot() {
    try (OperatorRuntime _ = operator("one")) {
      await()
          .atMost(SOON)
          .untilAsserted(() ->
              assertThat(controlPlaneNamespaces())
                  .containsExactlyInAnyOrder(
                      "kube-system", "kube-public", "kube-node-lease", OperatorRuntime.NAMESPACE));
    }
  }

  private List<String> controlPlaneNamespaces() {
    return admin
        .namespaces()
        .withLabel(NamespaceLabels.ORGANIZATION.key(), NamespaceLabels.CONTROL_PLANE)
        .list()
        .getItems()
        .stream()
        .map(ObjectFacts::name)
        .toList();
  }

  private static Pod tenantPod(String node) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("tenant-work")
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .addNewContainer()
        .withName("main")
        .withImage("registry.example/none")
        .endContainer()
        .endSpec()
        .build();
  }

  private String active(String node) {
    return admin.nodes().withName(node).get().getStatus().getConditions().stream()
        .filter(condition -> condition.getType().equals("CWActive"))
        .map(NodeCondition::getStatus)
        .findFirst()
        .orElse("");
  }

  @Test
  void anUnreadableObjectDoesNotBlockTheOthers() {
    admin
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName("unreadable")
                .addToAnnotations(NodeAnnotations.HOST_UID.key(), "h")
                .addToAnnotations(NodeAnnotations.TENANCY.key(), "three")
                .endMetadata()
                .build())
        .create();
    pool("beside-unreadable", 1);
    try (OperatorRuntime _ = operator("one")) {
      awaitTargetMet("beside-unreadable");
    }
  }

  @Test
  void aPoolReportsThatTheFleetsOfferIsMissing() {
    pool("without-offer", 1);
    try (OperatorRuntime _ = operator("one")) {
      awaitTargetMet("without-offer");
      admin
          .configMaps()
          .inNamespace(OperatorRuntime.NAMESPACE)
          .withName(OfferDocument.NAME)
          .delete();

      await().atMost(SOON).until(() -> is("without-offer", ValidatedReason.INTERNAL_ERROR));
      assertThat(held()).isEqualTo(1);
    }
  }

  private Lease lease() {
    return admin.leases().inNamespace(Leadership.NAMESPACE).withName("nodepool-operator").require();
  }

  @Test
  void theNextProcessFindsThePoolAndWritesNothingWhileNothingChanges() {
    pool("handed-over", 4);
    try (OperatorRuntime first = operator("first")) {
      awaitTargetMet("handed-over");
      assertThat(first.isLeading()).isTrue();
    }
    // Released, so that no process waits until it expires.
    assertThat(lease().getSpec().getHolderIdentity()).isNull();
    try (OperatorRuntime second = operator("second")) {
      await().atMost(SOON).until(second::isPlanning);
      assertNothingIsWrittenAtRest(second);
      assertThat(second.requests().byKind().keySet())
          .filteredOn(kind -> !kind.endsWith(" leases"))
          .allMatch(kind ->
              kind.startsWith("list ")
                  || kind.startsWith("watch ")
                  || kind.equals("get version")
                  // Whether the API server serves Hosts.
                  || kind.equals("get apis/fleet.nodepool.io/v1alpha1")
                  // That a Node is registered, again: it finds that Event, and changes nothing.
                  || kind.equals("create events")
                  || kind.equals("get events"));
      ClientEdit.edited(
          admin.resources(NodePool.class).withName("handed-over"),
          pool -> pool.getSpec().targetNodes = 6);
      await().atMost(SOON).until(() -> held() == 6);
      awaitTargetMet("handed-over");
    }
  }

  @Test
  void aNodePoolRecreatedUnderItsNameIsAnotherPool() {
    pool("recreated", 3);
    try (OperatorRuntime _ = operator("one")) {
      awaitTargetMet("recreated");
      String before = ObjectFacts.uid(admin.resources(NodePool.class).withName("recreated").get());
      admin.resources(NodePool.class).withName("recreated").delete();
      await()
          .atMost(SOON)
          .until(() -> admin.resources(NodePool.class).withName("recreated").get() == null);
      pool("recreated", 2);

      awaitTargetMet("recreated");
      assertThat(held()).isEqualTo(2);
      assertThat(admin.resources(HostResource.class).list().getItems())
          .noneMatch(host ->
              host.getSpec().assignment != null
                  && host.getSpec().assignment.poolUid.equals(before));
    }
  }

  @Test
  void aProcessWhoseLeaseWasTakenEnds() {
    try (OperatorRuntime operator = operator("one")) {
      await().atMost(SOON).until(operator::isPlanning);
      ClientEdit.edited(
          admin.resources(Lease.class).inNamespace(Leadership.NAMESPACE).withName(Leadership.LEASE),
          lease -> lease.getSpec().setHolderIdentity("somebody-else"));

      await().atMost(SOON).until(() -> ends.equals(List.of("leadership was lost")));
      assertThat(operator.isLeading()).isFalse();
      assertThat(operator.isHealthy()).isFalse();
    } finally {
      admin
          .resources(Lease.class)
          .inNamespace(Leadership.NAMESPACE)
          .withName(Leadership.LEASE)
          .delete();
    }
  }
}
