package io.nodepool.simulated.cluster;

import static io.nodepool.simulated.cluster.CentreUnderTest.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.api.SimulatedFleetStatus;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.local.WithLocalCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@WithLocalCluster
class SimulatedFleetControllerIT {
  private static final String FLEET = "centre-it";

  private final KubernetesClient client;
  private final CentreUnderTest centre;

  SimulatedFleetControllerIT(KubernetesClient client) {
    this.client = client;
    this.centre = new CentreUnderTest(client, fleet());
  }

  @BeforeEach
  void hostsAreFree() {
    eventually(() -> assertThat(centre.hosts()).hasSize(4).allMatch(host -> is(host, "FREE")));
  }

  @AfterEach
  void stopAndRemove() {
    client.apps().deployments().inNamespace(FLEET).delete();
    client.apps().daemonSets().inNamespace(FLEET).delete();
    eventually(() -> assertThat(pods()).isEmpty());
    centre.close();
  }

  @Test
  void theFleetPublishesItsStatusAndOffer() {
    eventually(() -> {
      ConfigMap map = centre.offer();
      assertThat(map).isNotNull();
      FleetOffer offer = OfferDocument.read(map);
      assertThat(offer.zone()).isEqualTo("US-EAST-04A");
      assertThat(offer.quota()).isEqualTo(Map.of("gd-8xh100ib-i128", 2, "turin-gp", 2));
    });
    eventually(() -> {
      SimulatedFleetStatus status = status();
      assertThat(status.hosts).isEqualTo(4);
      assertThat(status.free).isEqualTo(4);
      assertThat(status.message).isNull();
    });
  }

  @Test
  void anAssignedHostJoinsRunsWorkStopsAndIsFreeAgain() {
    HostResource host = centre.hosts().getFirst();
    String name = host.getMetadata().getName();
    assign(host);
    eventually(() -> {
      Node node = centre.node(name);
      assertThat(node).isNotNull();
      assertThat(node.getStatus().getNodeInfo().getBootID())
          .isEqualTo(centre.host(name).getStatus().bootId);
      assertThat(node.getMetadata().getLabels())
          .containsEntry("compute.coreweave.com/node-pool", "by-hand")
          .containsEntry("team", "a");
      // A controller of the cluster removes only this taint.
      assertThat(node.getSpec().getTaints())
          .noneMatch(taint -> taint.getKey().startsWith("node.kubernetes.io/"));
    });
    assertThat(status().free).isLessThanOrEqualTo(4);

    runDeploymentAndDaemonSet();
    Instant asked = Instant.now();
    client.apps().deployments().inNamespace(FLEET).withName("work").delete();
    client.apps().daemonSets().inNamespace(FLEET).withName("everywhere").delete();
    eventually(() -> assertThat(pods()).isEmpty());
    assertThat(Duration.between(asked, Instant.now())).isGreaterThan(Duration.ofSeconds(1));

    centre.merge(name, "{\"spec\": {\"power\": \"Off\"}}");
    eventually(() -> assertThat(is(centre.host(name), "STOPPED")).isTrue());
    client.nodes().withName(name).delete();
    centre.merge(name, "{\"spec\": {\"assignment\": null, \"power\": \"On\"}}");
    eventually(() -> assertThat(is(centre.host(name), "FREE")).isTrue());
    assertThat(centre.node(name)).isNull();
  }

  private void runDeploymentAndDaemonSet() {
    client.resource(deployment()).create();
    client.resource(daemonSet()).create();
    eventually(() -> {
      assertThat(
              client
                  .apps()
                  .deployments()
                  .inNamespace(FLEET)
                  .withName("work")
                  .get()
                  .getStatus()
                  .getAvailableReplicas())
          .isEqualTo(3);
      assertThat(
              client
                  .apps()
                  .daemonSets()
                  .inNamespace(FLEET)
                  .withName("everywhere")
                  .get()
                  .getStatus()
                  .getNumberAvailable())
          .isEqualTo(1);
    });
  }

  @Test
  void aNodeThatIsDeletedWhileItsHostRunsJoinsAgain() {
    HostResource host = centre.hosts().getFirst();
    String name = host.getMetadata().getName();
    assign(host);
    eventually(() -> assertThat(centre.node(name)).isNotNull());
    String uid = centre.node(name).getMetadata().getUid();

    client.nodes().withName(name).delete();

    eventually(() -> {
      Node again = centre.node(name);
      assertThat(again).isNotNull();
      assertThat(again.getMetadata().getUid()).isNotEqualTo(uid);
    });
  }

  @Test
  void aSecondStartWritesNothing() {
    HostResource host = centre.hosts().getFirst();
    assign(host);
    eventually(() -> assertThat(centre.node(host.getMetadata().getName())).isNotNull());
    eventually(() -> assertThat(status().free).isEqualTo(3));
    centre.stop();
    // Controllers of the cluster write a Node that has just joined.
    AtomicReference<List<String>> at = new AtomicReference<>(List.of());
    await()
        .during(Duration.ofSeconds(2))
        .atMost(Duration.ofMinutes(1))
        .until(() -> at.getAndSet(versions()).equals(at.get()));
    List<String> before = at.get();

    centre.restart();

    await()
        .during(Duration.ofSeconds(3))
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(() -> assertThat(versions()).isEqualTo(before));
    assertThat(centre.controller().requests().byKind().keySet())
        .isNotEmpty()
        .allMatch(kind -> kind.startsWith("list ") || kind.startsWith("watch "));
  }

  @Test
  void anAnnotationOfAHostBecomesANoticeUntilItIsRemoved() {
    HostResource host = centre.hosts().getFirst();
    String name = host.getMetadata().getName();
    assertThat(host.getStatus().spot).isTrue();
    centre.merge(
        name, "{\"metadata\": {\"annotations\": {\"fleet.nodepool.io/reclaim\": \"70s\"}}}");
    eventually(() -> {
      assertThat(centre.host(name).getStatus().reclaim).isNotNull();
      HostStatus.ReclaimNotice notice =
          Objects.requireNonNull(centre.host(name).getStatus().reclaim);
      assertThat(Instant.parse(notice.reclaimAt))
          .isEqualTo(Instant.parse(notice.announcedAt).plusSeconds(7));
    });

    centre.merge(
        name, "{\"metadata\": {\"annotations\": {\"fleet.nodepool.io/reclaim\": \"soon\"}}}");
    eventually(() -> assertThat(status().message).contains("\"soon\" is neither true nor"));
    assertThat(centre.host(name).getStatus().reclaim).isNotNull();

    centre.merge(name, "{\"metadata\": {\"annotations\": {\"fleet.nodepool.io/reclaim\": null}}}");
    eventually(() -> assertThat(centre.host(name).getStatus().reclaim).isNull());
    eventually(() -> assertThat(status().message).isNull());
    assertThat(centre.host(name).getStatus().spot).isTrue();
  }

  @Test
  void aMistakeIsReportedInTheStatusAndChangesNothingElse() {
    client
        .resources(SimulatedFleet.class)
        .withName(FLEET)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\": {\"racks\": [{\"name\": \"x\", \"instanceType\": \"turin\", \"hosts\": 9}]}}");

    eventually(() ->
        assertThat(status().message)
            .isEqualTo(
                "Nothing of the spec is carried out until this is corrected: spec.racks: rack x: there is no instance type \"turin\"; did you mean turin-gp?"));
    assertThat(centre.hosts()).hasSize(4).allMatch(host -> is(host, "FREE"));
  }

  @Test
  void aRackThatIsRemovedKeepsOnlyItsHeldHosts() {
    List<HostResource> cpu =
        centre.hosts().stream()
            .filter(h -> h.getSpec().machine.instanceType.equals("turin-gp"))
            .toList();
    assign(cpu.getFirst());
    client
        .resources(SimulatedFleet.class)
        .withName(FLEET)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\": {\"racks\": [{\"name\": \"gpu\", \"instanceType\": \"gd-8xh100ib-i128\", \"hosts\": 2}]}}");

    eventually(() ->
        assertThat(centre.hosts())
            .hasSize(3)
            .extracting(h -> h.getMetadata().getName())
            .contains(cpu.getFirst().getMetadata().getName())
            .doesNotContain(cpu.get(1).getMetadata().getName()));
  }

  private static SimulatedFleet fleet() {
    SimulatedFleet fleet = new SimulatedFleet();
    fleet.setMetadata(new ObjectMetaBuilder().withName(FLEET).build());
    SimulatedFleetSpec spec = new SimulatedFleetSpec();
    spec.zone = "US-EAST-04A";
    spec.seed = 4711;
    spec.racks.add(rack("gpu", "gd-8xh100ib-i128"));
    spec.racks.add(rack("cpu", "turin-gp"));
    SimulatedFleetSpec.Timings timings = new SimulatedFleetSpec.Timings();
    timings.bootMin = "3s";
    timings.bootMax = "10s";
    timings.clean = "5s";
    spec.timings = timings;
    fleet.setSpec(spec);
    return fleet;
  }

  private static SimulatedFleetSpec.Rack rack(String name, String type) {
    SimulatedFleetSpec.Rack rack = new SimulatedFleetSpec.Rack();
    rack.name = name;
    rack.instanceType = type;
    rack.hosts = 2;
    return rack;
  }

  private void assign(HostResource host) {
    centre.merge(
        host.getMetadata().getName(),
        """
        {"spec": {"tenancy": %d, "configuration": "c1", "assignment": {"pool": "by-hand", "poolUid": "p1",
          "assignedAt": "%s", "node": {"labels": {"team": "a", "centre-it": "here"}}}}}
        """
            .formatted(host.getSpec().tenancy + 1, Instant.now()));
  }

  private SimulatedFleetStatus status() {
    SimulatedFleetStatus status =
        client.resources(SimulatedFleet.class).withName(FLEET).get().getStatus();
    return status == null ? new SimulatedFleetStatus() : status;
  }

  private static boolean is(HostResource host, String phase) {
    HostStatus status = host.getStatus();
    return status != null && status.phase != null && status.phase.name().equals(phase);
  }

  private List<String> versions() {
    return java.util.stream.Stream.of(
            centre.hosts().stream(),
            client.nodes().list().getItems().stream(),
            client.resources(SimulatedFleet.class).list().getItems().stream(),
            client.configMaps().inNamespace(FLEET).list().getItems().stream())
        .flatMap(items -> items)
        .map(item ->
            item.getKind()
                + "/"
                + item.getMetadata().getName()
                + "@"
                + item.getMetadata().getResourceVersion())
        .sorted()
        .toList();
  }

  private List<Pod> pods() {
    return client.pods().inNamespace(FLEET).list().getItems();
  }

  private static io.fabric8.kubernetes.api.model.apps.Deployment deployment() {
    return new DeploymentBuilder()
        .withNewMetadata()
        .withName("work")
        .withNamespace(FLEET)
        .endMetadata()
        .withNewSpec()
        .withReplicas(3)
        .withNewSelector()
        .addToMatchLabels("app", "work")
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .addToLabels("app", "work")
        .endMetadata()
        .withSpec(podSpec())
        .endTemplate()
        .endSpec()
        .build();
  }

  private static io.fabric8.kubernetes.api.model.apps.DaemonSet daemonSet() {
    return new DaemonSetBuilder()
        .withNewMetadata()
        .withName("everywhere")
        .withNamespace(FLEET)
        .endMetadata()
        .withNewSpec()
        .withNewSelector()
        .addToMatchLabels("app", "everywhere")
        .endSelector()
        .withNewTemplate()
        .withNewMetadata()
        .addToLabels("app", "everywhere")
        .endMetadata()
        .withSpec(podSpec())
        .endTemplate()
        .endSpec()
        .build();
  }

  private static PodSpec podSpec() {
    return new PodSpecBuilder()
        .withNodeSelector(Map.of("centre-it", "here"))
        .withTerminationGracePeriodSeconds(2L)
        .addNewToleration()
        .withOperator("Exists")
        .endToleration()
        .addNewContainer()
        .withName("main")
        .withImage("registry.example/work")
        .withNewResources()
        .addToRequests("cpu", new Quantity("1"))
        .endResources()
        .endContainer()
        .build();
  }
}
