package io.nodepool.kubernetes.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSystemInfo;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.cli.Crds;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.convert.OfferDocument;
import io.nodepool.local.WithLocalCluster;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Releases of a simulated data centre, and configurations that are staged by hand. */
@WithLocalCluster
class SimulatedReleasesIT {
  private static final String FLEET = "releases-it";
  private static final String OLD = "ncore-1_6.8.0-60_570.172.08_v1.34.3";
  private static final String NEW = "ncore-2_6.11.0-29_580.65.06_v1.34.4";
  private static final String BROKEN = "ncore-3_6.11.0-29_580.65.06_v1.34.4";
  private static final String DESCRIPTION =
      """
      apiVersion: fleet.nodepool.io/v1alpha1
      kind: SimulatedFleet
      metadata:
        name: releases-it
      spec:
        zone: US-EAST-04A
        racks:
          - {name: gpu, instanceType: gd-8xh100ib-i128, hosts: 1}
        releases:
          - name: first
            images:
              - {name: ncore-1, train: stable, kernels: [6.8.0-60]}
            gpuDrivers: [570.172.08]
            kubernetesVersion: v1.34.3
          - name: scheduled
            after: 20s
            images:
              - {name: ncore-2, train: stable, kernels: [6.11.0-29]}
            gpuDrivers: [570.172.08, 580.65.06]
            kubernetesVersion: v1.34.4
        mishaps:
          configurations:
            - {image: ncore-3}
        timings: {bootMin: 1s, bootMax: 1s, reboot: 20s, verification: 5s}
      """;

  private final KubernetesClient client;
  private Optional<SimulatedFleetController> controller = Optional.empty();
  private String name = "";

  SimulatedReleasesIT(KubernetesClient client) {
    this.client = client;
  }

  @BeforeEach
  void joinANode() {
    Crds.install(client);
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(FLEET).endMetadata().build())
        .serverSideApply();
    client.resource(Serialization.unmarshal(DESCRIPTION, SimulatedFleet.class)).create();
    controller = Optional.of(start());
    eventually(() ->
        assertThat(hosts())
            .singleElement()
            .matches(host -> host.getStatus() != null && host.getStatus().phase != null));
    name = hosts().getFirst().getMetadata().getName();
    merge(
        """
        {"spec": {"tenancy": 1, "configuration": "%s",
          "assignment": {"pool": "by-hand", "poolUid": "p1", "assignedAt": "%s"}}}
        """
            .formatted(OLD, Instant.now()));
    eventually(() -> assertThat(client.nodes().withName(name).get()).isNotNull());
  }

  @AfterEach
  void stopAndRemove() {
    controller.ifPresent(SimulatedFleetController::close);
    client.resources(SimulatedFleet.class).withName(FLEET).delete();
    hosts().forEach(host -> client.nodes().withName(host.getMetadata().getName()).delete());
    client.resources(HostResource.class).withLabel(FleetRequests.FLEET_LABEL, FLEET).delete();
    client.configMaps().inNamespace(FLEET).withName(OfferDocument.NAME).delete();
  }

  @Test
  void releasesAppearInTheOfferByTheScheduleAndWhenTheyAreAdded() {
    eventually(() -> assertThat(offered()).containsExactly("first", "scheduled"));

    client
        .resources(SimulatedFleet.class)
        .withName(FLEET)
        .patch(
            PatchContext.of(PatchType.JSON),
            """
            [{"op": "add", "path": "/spec/releases/-", "value": {"name": "added",
              "images": [{"name": "ncore-4", "train": "latest", "kernels": ["6.14.0-1"]}],
              "gpuDrivers": ["580.95.05"], "kubernetesVersion": "v1.34.4"}}]
            """);
    eventually(() -> assertThat(offered()).containsExactly("first", "scheduled", "added"));
  }

  @Test
  void aMachineShowsTheConfigurationThatWasStagedOnceItRebooted() {
    shows("ncore-1", "6.8.0-60", "v1.34.3", "570.172.08");
    stage(NEW);
    reboot(1);
    eventually(() -> assertThat(status().boot).isNotNull());
    assertThat(Objects.requireNonNull(status().boot).configuration).isEqualTo(NEW);
    assertThat(status().bootedConfiguration).isEqualTo(OLD);

    eventually(() -> assertThat(status().bootedConfiguration).isEqualTo(NEW));
    shows("ncore-2", "6.11.0-29", "v1.34.4", "580.65.06");
  }

  @Test
  void aMachineHangsInABrokenImageAlsoAfterARestartUntilItIsRebootedWithAnother() {
    stage(BROKEN);
    reboot(1);
    eventually(() -> assertThat(status().boot).isNotNull());
    String startedAt = Objects.requireNonNull(status().boot).startedAt;
    controller.orElseThrow().close();
    controller = Optional.of(start());
    stage(NEW);
    await()
        .during(Duration.ofSeconds(5))
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> {
          HostStatus.BootCycle cycle = Objects.requireNonNull(status().boot);
          assertThat(cycle.startedAt).isEqualTo(startedAt);
          assertThat(cycle.configuration).isEqualTo(BROKEN);
        });
    assertThat(isReady(node())).isFalse();

    reboot(2);
    eventually(() -> assertThat(status().bootedConfiguration).isEqualTo(NEW));
    shows("ncore-2", "6.11.0-29", "v1.34.4", "580.65.06");
    assertThat(status().reboots).isEqualTo(2);
  }

  private List<String> offered() {
    return OfferDocument.read(
            client.configMaps().inNamespace(FLEET).withName(OfferDocument.NAME).get())
        .releases()
        .stream()
        .map(FleetRelease::name)
        .toList();
  }

  private void shows(String image, String kernel, String kubelet, String driver) {
    eventually(() -> {
      Node node = node();
      NodeSystemInfo info = node.getStatus().getNodeInfo();
      assertThat(isReady(node)).isTrue();
      assertThat(info.getBootID()).isEqualTo(status().bootId);
      assertThat(
              List.of(
                  info.getOsImage(),
                  info.getKernelVersion(),
                  info.getKubeletVersion(),
                  node.getMetadata().getLabels().get("gpu.coreweave.cloud/driver-version")))
          .containsExactly(image, kernel, kubelet, driver);
    });
  }

  private void stage(String configuration) {
    merge("{\"spec\": {\"configuration\": \"%s\"}}".formatted(configuration));
  }

  private void reboot(int attempt) {
    merge(
        """
        {"spec": {"boot": {"from": "%s", "try": %d, "kind": "PowerReset", "operation": "by-hand", "requestedAt": "%s"}}}
        """
            .formatted(Objects.requireNonNull(status().bootId), attempt, Instant.now()));
  }

  private SimulatedFleetController start() {
    return SimulatedFleetController.start(
        client.getConfiguration(),
        new SimulatedFleetController.Settings(FLEET, FLEET, 10, InstantSource.system()));
  }

  private void merge(String patch) {
    client
        .resources(HostResource.class)
        .withName(name)
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  private List<HostResource> hosts() {
    return client
        .resources(HostResource.class)
        .withLabel(FleetRequests.FLEET_LABEL, FLEET)
        .list()
        .getItems();
  }

  private HostStatus status() {
    return Objects.requireNonNull(
        client.resources(HostResource.class).withName(name).get().getStatus());
  }

  private Node node() {
    return client.nodes().withName(name).get();
  }

  private static boolean isReady(Node node) {
    return node.getStatus().getConditions().stream()
        .anyMatch(each -> each.getType().equals("Ready") && each.getStatus().equals("True"));
  }

  private static void eventually(ThrowingRunnable assertion) {
    await()
        .atMost(Duration.ofSeconds(40))
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptionsInstanceOf(KubernetesClientException.class)
        .untilAsserted(assertion);
  }
}
