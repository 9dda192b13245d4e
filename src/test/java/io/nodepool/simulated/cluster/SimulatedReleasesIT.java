package io.nodepool.simulated.cluster;

import static io.nodepool.simulated.cluster.CentreUnderTest.eventually;
import static io.nodepool.simulated.cluster.CentreUnderTest.isReady;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeSystemInfo;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.local.WithLocalCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
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
  private final CentreUnderTest centre;
  private String name = "";

  SimulatedReleasesIT(KubernetesClient client) {
    this.client = client;
    this.centre =
        new CentreUnderTest(client, Serialization.unmarshal(DESCRIPTION, SimulatedFleet.class));
  }

  @BeforeEach
  void joinANode() {
    name = centre.joins(OLD);
  }

  @AfterEach
  void stopAndRemove() {
    centre.close();
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
    // The boot lasts two seconds.
    eventually(() -> {
      HostStatus status = centre.status(name);
      assertThat(status.boot).isNotNull();
      assertThat(Objects.requireNonNull(status.boot).configuration).isEqualTo(NEW);
      assertThat(status.bootedConfiguration).isEqualTo(OLD);
    });

    eventually(() -> assertThat(centre.status(name).bootedConfiguration).isEqualTo(NEW));
    shows("ncore-2", "6.11.0-29", "v1.34.4", "580.65.06");
  }

  @Test
  void aMachineHangsInABrokenImageAlsoAfterARestartUntilItIsRebootedWithAnother() {
    stage(BROKEN);
    reboot(1);
    eventually(() -> assertThat(centre.status(name).boot).isNotNull());
    String startedAt = Objects.requireNonNull(centre.status(name).boot).startedAt;
    centre.restart();
    stage(NEW);
    await()
        .during(Duration.ofSeconds(5))
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(() -> {
          HostStatus.BootCycle cycle = Objects.requireNonNull(centre.status(name).boot);
          assertThat(cycle.startedAt).isEqualTo(startedAt);
          assertThat(cycle.configuration).isEqualTo(BROKEN);
        });
    assertThat(isReady(node())).isFalse();

    reboot(2);
    eventually(() -> assertThat(centre.status(name).bootedConfiguration).isEqualTo(NEW));
    shows("ncore-2", "6.11.0-29", "v1.34.4", "580.65.06");
    assertThat(centre.status(name).reboots).isEqualTo(2);
  }

  private List<String> offered() {
    return OfferDocument.read(centre.offer()).releases().stream().map(FleetRelease::name).toList();
  }

  private void shows(String image, String kernel, String kubelet, String driver) {
    eventually(() -> {
      Node node = node();
      NodeSystemInfo info = node.getStatus().getNodeInfo();
      assertThat(isReady(node)).isTrue();
      assertThat(info.getBootID()).isEqualTo(centre.status(name).bootId);
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
    centre.merge(name, "{\"spec\": {\"configuration\": \"%s\"}}".formatted(configuration));
  }

  private void reboot(int attempt) {
    centre.merge(
        name,
        """
        {"spec": {"boot": {"from": "%s", "try": %d, "kind": "PowerReset", "operation": "by-hand", "requestedAt": "%s"}}}
        """
            .formatted(Objects.requireNonNull(centre.status(name).bootId), attempt, Instant.now()));
  }

  private Node node() {
    return centre.node(name);
  }
}
