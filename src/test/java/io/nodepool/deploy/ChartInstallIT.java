package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.cli.input.Admission;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.LocalClusterExtension;
import io.nodepool.local.LocalClusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The chart as Helm installs it on a real API server. There is no kubelet, so this machine runs the
 * containers as their Deployments and the Dockerfile say, as the accounts of their Pods.
 */
@Tag("local-cluster")
class ChartInstallIT {
  private static final Duration SOON = Duration.ofSeconds(90);

  /** Values that the earlier chart has too. */
  private static final String EARLIER_VALUES =
      """
      dataCentre:
        enabled: true
        speed: 20
      alerts:
        receiver:
          enabled: true
          tokenSecret: %s
          tlsSecret: %s
      """
          .formatted(ChartAlerts.TOKEN_SECRET, ChartAlerts.TLS_SECRET);

  private static final String VALUES =
      EARLIER_VALUES
          + """
          operator: {verification: {namespace: %s}}
          monitoring: {tls: {secret: %s}}
          """
              .formatted(ChartRepair.NAMESPACE, ChartAlerts.TLS_SECRET);

  /**
   * Rights that are not seen in use here: most of them are needed after an answer got lost, when
   * the object is read back.
   */
  private static final Set<String> NOT_SEEN =
      Set.of(
          // Applying what is not there yet needs these, but the API server calls it a patch.
          "create coordination.k8s.io/leases",
          "create fleet.nodepool.io/signalsources",
          // An admission policy asks the authorizer for it.
          "report fleet.nodepool.io/signalsources",
          "get fleet.nodepool.io/hosts",
          "get fleet.nodepool.io/simulatedfleets",
          "get /nodes",
          "get /namespaces",
          "get /pods",
          "get /configmaps",
          "get coordination.k8s.io/leases",
          // The offer exists and only a changed SimulatedFleet changes it.
          "patch /configmaps",
          // Pods that have not ended at the deadline of a drain, which no drain here reaches.
          "patch /pods/status",
          "delete /pods",
          // An Event that was emitted before its write failed.
          "get /events",
          "patch /events");

  @TempDir private Path folder;

  @Test
  void bothProcessesDoAllTheyHaveToUnderTheRightsThatTheChartGivesThem() throws Exception {
    AuditLog audit = new AuditLog(folder, Chart.NAMESPACE);
    try (LocalCluster cluster =
            LocalCluster.start(
                LocalClusterOptions.standard(System.err::println)
                    .withApiServerFlags(audit.flags()));
        KubernetesClient admin = LocalClusterExtension.client(cluster.kubeconfig())) {
      Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig());
      ChartAlerts alerts = ChartAlerts.prepare(admin, folder);
      ChartRepair.prepare(admin);
      Chart.install(ChartVersions.earlier(folder), EARLIER_VALUES, kubeconfig);
      ChartVersions.upgrade(admin, kubeconfig);
      assertThat(admin.admissionRegistration().v1().validatingAdmissionPolicies().list().getItems())
          .extracting(policy -> policy.getMetadata().getName())
          .contains(
              "nodepool-operator-account-nodes",
              "nodepool-operator-account-nodepools",
              "nodepool-operator-account-namespaces",
              "nodepool-operator-node-annotations",
              "nodepool-operator-signal-sources");
      assertThat(admin.resources(SimulatedFleet.class).withName("default").get()).isNotNull();
      PodImage image = PodImage.build(folder);
      try (PodProcess centre = PodProcess.start(cluster, admin, Chart.DATA_CENTRE, folder, image);
          PodProcess operator = PodProcess.start(cluster, admin, Chart.RELEASE, folder, image)) {
        starts(centre);
        starts(operator);
        ChartVersions.passesItsTest(cluster, admin, kubeconfig, folder, image);
        centre.assertUser(image);
        operator.assertUser(image);
        workThroughTheLifeOfAPool(admin, operator, centre);
        alerts.send(operator);
        new ChartMetrics(admin, alerts.certificate()).scrape(operator);
        isAsItsKubeletWants(operator);
        isAsItsKubeletWants(centre);
      }

      assertThat(audit.forbidden()).isEmpty();
      assertEveryRightIsUsed(audit);
      uninstall(admin, kubeconfig);
      ChartVersions.upgradesTheCrdsAsAChart(admin, kubeconfig);
      Chart.install(Chart.FOLDER, VALUES, kubeconfig);
      ChartVersions.everySetOfValuesIsAccepted(admin);
    }
  }

  private static void starts(PodProcess process) {
    await()
        .atMost(process.longestStart())
        .untilAsserted(
            () -> assertThat(process.passes(Container::getStartupProbe)).as(process::log).isTrue());
  }

  private static void isAsItsKubeletWants(PodProcess process) throws IOException {
    assertThat(process.isAlive()).as(process::log).isTrue();
    assertThat(process.passes(Container::getLivenessProbe)).isTrue();
    assertThat(process.passes(Container::getReadinessProbe)).isTrue();
    process.assertWithinItsMemory();
  }

  private static void workThroughTheLifeOfAPool(
      KubernetesClient admin, PodProcess operator, PodProcess centre) {
    admin.resource(pool()).create();
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(current(admin)).as(() -> operator.log() + centre.log()).isEqualTo(3));
    await().atMost(SOON).untilAsserted(() -> assertThat(leases(admin)).hasSize(3));
    String repaired = ChartRepair.begin(admin, "installed");
    giveUpANode(admin);
    Pod pod = admin.resource(podWithoutGpu()).create();
    // Its toleration of CPU Nodes comes from the admission policy, which the cluster serves.
    await().atMost(SOON).until(() -> phase(admin, pod).equals("Running"));
    changeTheMetadata(admin, operator);
    ChartRepair.end(admin, repaired, operator);
    shrink(admin, pod, operator);

    admin.resources(NodePool.class).withName("installed").delete();

    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(admin.resources(NodePool.class).withName("installed").get())
                .as(() -> operator.log() + centre.log())
                .isNull());
    // They go with their Nodes.
    await().atMost(SOON).untilAsserted(() -> assertThat(leases(admin)).isEmpty());
    dropARack(admin);
  }

  /** The Nodes follow the pool's labels, annotations and taints, and lose them again. */
  private static void changeTheMetadata(KubernetesClient admin, PodProcess operator) {
    edit(
        admin,
        """
        {"spec": {"nodeLabels": {"team": "a"}, "nodeAnnotations": {"example.com/owner": "b"},
                  "nodeTaints": [{"key": "example.com/dedicated", "effect": "PreferNoSchedule"}]}}
        """);
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(admin.nodes().list().getItems())
                .as(operator::log)
                .hasSize(3)
                .allSatisfy(node -> {
                  assertThat(node.getMetadata().getLabels()).containsEntry("team", "a");
                  assertThat(node.getMetadata().getAnnotations())
                      .containsEntry("example.com/owner", "b");
                  assertThat(node.getSpec().getTaints())
                      .extracting(Taint::getKey)
                      .contains("example.com/dedicated");
                }));
    edit(admin, "{\"spec\": {\"nodeLabels\": null, \"nodeTaints\": null}}");
    await()
        .atMost(SOON)
        .untilAsserted(() ->
            assertThat(admin.nodes().list().getItems())
                .as(operator::log)
                .allSatisfy(node -> {
                  assertThat(node.getMetadata().getLabels()).doesNotContainKey("team");
                  assertThat(node.getSpec().getTaints())
                      .extracting(Taint::getKey)
                      .doesNotContain("example.com/dedicated");
                }));
  }

  /** One Node goes that is idle, then those that are left, with the work on one of them. */
  private static void shrink(KubernetesClient admin, Pod pod, PodProcess operator) {
    edit(admin, "{\"spec\": {\"targetNodes\": 2}}");
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(admin.nodes().list().getItems()).as(operator::log).hasSize(2));
    assertThat(admin.resource(pod).get()).isNotNull();
    edit(
        admin,
        """
        {"spec": {"targetNodes": 0, "lifecycle": {"scaleDownStrategy": "PreferIdle"}}}
        """);
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> assertThat(admin.nodes().list().getItems()).as(operator::log).isEmpty());
    assertThat(admin.resource(pod).get()).isNull();
  }

  private static void edit(KubernetesClient admin, String patch) {
    admin
        .resources(NodePool.class)
        .withName("installed")
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  /** As a controller of the cluster does after a silence; its kubelet reports it Ready again. */
  private static void giveUpANode(KubernetesClient admin) {
    String name = admin.nodes().list().getItems().getFirst().getMetadata().getName();
    admin
        .nodes()
        .withName(name)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.STRATEGIC_MERGE),
            """
            {"status": {"conditions": [{"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown"}]}}
            """);
    await()
        .atMost(SOON)
        .until(() ->
            admin.nodes().withName(name).get().getStatus().getConditions().stream()
                .anyMatch(condition ->
                    condition.getType().equals("Ready") && condition.getStatus().equals("True")));
  }

  /** The data centre takes back the Hosts that its description has no more. */
  private static void dropARack(KubernetesClient admin) {
    // Without a version: the data centre writes the status meanwhile.
    admin
        .resources(SimulatedFleet.class)
        .withName("default")
        .patch(
            PatchContext.of(PatchType.JSON),
            """
            [{"op": "test", "path": "/spec/racks/13/name", "value": "169"},
             {"op": "remove", "path": "/spec/racks/13"}]
            """);
    await()
        .atMost(SOON)
        .until(() -> admin.resources(HostResource.class).list().getItems().size() == 100 - 36);
  }

  private static int current(KubernetesClient admin) {
    NodePool pool = admin.resources(NodePool.class).withName("installed").get();
    return pool.getStatus() == null || pool.getStatus().currentNodes == null
        ? 0
        : pool.getStatus().currentNodes;
  }

  private static List<Lease> leases(KubernetesClient admin) {
    return admin.leases().inNamespace("kube-node-lease").list().getItems();
  }

  private static String phase(KubernetesClient admin, Pod pod) {
    return admin.resource(pod).get().getStatus().getPhase();
  }

  private static NodePool pool() {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName("installed").build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = "turin-gp";
    spec.targetNodes = 3;
    pool.setSpec(spec);
    return pool;
  }

  private static Pod podWithoutGpu() {
    return new PodBuilder()
        .withNewMetadata()
        .withName("without-gpu")
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .withNodeSelector(Map.of("compute.coreweave.com/node-pool", "installed"))
        .withTerminationGracePeriodSeconds(1L)
        .addNewContainer()
        .withName("main")
        .withImage("example.com/work")
        .endContainer()
        .endSpec()
        .build();
  }

  private static void assertEveryRightIsUsed(AuditLog audit) {
    Chart chart = Chart.render(VALUES);
    for (String account : List.of(Admission.OPERATOR, Admission.DATA_CENTRE)) {
      String name = account.substring(account.lastIndexOf(':') + 1);
      Set<String> unused = granted(chart, name);
      unused.removeAll(audit.asked(account));
      unused.removeAll(NOT_SEEN);
      assertThat(unused).as("rights of %s that it does not use", name).isEmpty();
    }
  }

  /** What the chart grants an account, as {@code verb group/resource/subresource}. */
  private static Set<String> granted(Chart chart, String account) {
    Set<String> rights = new TreeSet<>();
    for (JsonNode binding : chart.objects()) {
      if (binding.get("kind").asText().endsWith("RoleBinding")
          && binding.at("/subjects/0/name").asText().equals(account)) {
        JsonNode role =
            chart.get(binding.at("/roleRef/kind").asText(), binding.at("/roleRef/name").asText());
        role.get("rules").forEach(rule -> add(rights, rule));
      }
    }
    assertThat(rights).isNotEmpty();
    return rights;
  }

  private static void add(Set<String> rights, JsonNode rule) {
    for (String group : Chart.texts(rule.get("apiGroups"))) {
      for (String resource : Chart.texts(rule.get("resources"))) {
        for (String verb : Chart.texts(rule.get("verbs"))) {
          rights.add("%s %s/%s".formatted(verb, group, resource));
        }
      }
    }
  }

  private static void uninstall(KubernetesClient admin, Path kubeconfig) {
    Helm.uninstall(Chart.RELEASE).withNamespace(Chart.NAMESPACE).withKubeConfig(kubeconfig).call();

    assertThat(admin.apps().deployments().inNamespace(Chart.NAMESPACE).list().getItems()).isEmpty();
    assertThat(admin.rbac().clusterRoles().withName(Chart.RELEASE).get()).isNull();
    // What the custom resources say outlives the release.
    assertThat(
            admin
                .apiextensions()
                .v1()
                .customResourceDefinitions()
                .withName("nodepools.compute.coreweave.com")
                .get())
        .isNotNull();
  }
}
