package io.nodepool.simulated.cluster;

import static io.nodepool.simulated.cluster.CentreUnderTest.eventually;
import static io.nodepool.simulated.cluster.CentreUnderTest.isReady;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.vocabulary.BootKind;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reboots that are requested by hand on a Host of a simulated data centre. */
@WithLocalCluster
class SimulatedRebootsIT {
  private static final String FLEET = "reboots-it";

  private final KubernetesClient client;
  private final List<String> nodeStates = new CopyOnWriteArrayList<>();
  private final CentreUnderTest centre;
  private String name = "";

  SimulatedRebootsIT(KubernetesClient client) {
    this.client = client;
    this.centre = new CentreUnderTest(client, fleet());
  }

  @BeforeEach
  void joinANode() {
    name = centre.joins("c1");
  }

  @AfterEach
  void stopAndRemove() {
    centre.close();
  }

  @Test
  void threeRequestsAreFourBootIdsAndDuplicatesAddNone() {
    List<String> ids = new ArrayList<>(List.of(bootId()));
    try (Watch _ = watchNode()) {
      for (int i = 1; i <= 3; i++) {
        ask(ids.getLast(), "by-hand-" + i);
        verified("by-hand-" + i);
        ids.add(bootId());
        inStep();
      }
      ask(ids.get(2), "by-hand-3");
      ask(ids.get(0), "by-hand-1");
      ask(ids.get(0), "late");
      await()
          .during(Duration.ofSeconds(3))
          .atMost(Duration.ofSeconds(10))
          .untilAsserted(() -> assertThat(centre.status(name).reboots).isEqualTo(3));
    }

    assertThat(ids).doesNotHaveDuplicates().hasSize(4);
    assertThat(bootId()).isEqualTo(ids.getLast());
    assertThat(centre.status(name).boot).isNull();
    assertThat(nodeStates)
        .containsExactly(
            "Ready " + ids.get(0),
            "NotReady " + ids.get(0),
            "Ready " + ids.get(1),
            "NotReady " + ids.get(1),
            "Ready " + ids.get(2),
            "NotReady " + ids.get(2),
            "Ready " + ids.get(3));
    assertThat(OfferDocument.read(centre.offer()).capabilities().boots())
        .containsExactly(BootKind.values());
  }

  @Test
  void aMachineOfWhichNoBootIsReportedIsRebootedAndVerified() {
    client
        .resources(HostResource.class)
        .withName(name)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON),
            "[{\"op\": \"remove\", \"path\": \"/status/bootId\"}]");
    try (Watch _ = watchNode()) {
      centre.merge(
          name,
          """
          {"spec": {"boot": {"try": 1, "kind": "Reboot", "operation": "by-hand", "requestedAt": "%s"}}}
          """
              .formatted(Instant.now()));
      verified("by-hand");
      inStep();
    }
    assertThat(centre.status(name).reboots).isEqualTo(1);
  }

  @Test
  void aDataCentreThatIsRestartedInTheMiddleOfARebootMakesNoSecondOne() {
    String first = bootId();
    try (Watch _ = watchNode()) {
      ask(first, "by-hand");
      eventually(() -> assertThat(nodeStates).contains("NotReady " + first));
      String startedAt = Objects.requireNonNull(centre.status(name).boot).startedAt;
      centre.stop();
      assertThat(Objects.requireNonNull(centre.status(name).boot).startedAt).isEqualTo(startedAt);
      centre.restart();
      verified("by-hand");
      inStep();
    }

    assertThat(centre.status(name).reboots).isEqualTo(1);
    assertThat(bootId()).isNotEqualTo(first);
    assertThat(nodeStates).hasSize(3);
  }

  @Test
  void twoDataCentresThatRunAtOnceMakeOnePowerCycleForEachRequest() {
    List<String> ids = new ArrayList<>(List.of(bootId()));
    try (SimulatedFleetController _ = centre.another();
        Watch _ = watchNode()) {
      for (int i = 1; i <= 3; i++) {
        ask(ids.getLast(), "by-hand-" + i);
        verified("by-hand-" + i);
        ids.add(bootId());
        inStep();
      }
    }

    assertThat(ids).doesNotHaveDuplicates();
    assertThat(centre.status(name).reboots).isEqualTo(3);
  }

  @Test
  void anAnnotationLetsTheMachineRebootByItselfOnce() {
    String first = bootId();
    centre.merge(
        name,
        "{\"metadata\": {\"annotations\": {\"fleet.nodepool.io/reboot\": \"%s\"}}}"
            .formatted(first));
    try (Watch _ = watchNode()) {
      eventually(() -> assertThat(bootId()).isNotEqualTo(first));
      inStep();
    }
    await()
        .during(Duration.ofSeconds(3))
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(() -> assertThat(centre.status(name).reboots).isEqualTo(1));
    assertThat(centre.status(name).verification).isNull();
  }

  private Watch watchNode() {
    return client
        .nodes()
        .withName(name)
        .watch(
            new Watcher<>() {
              @Override
              public void eventReceived(Action action, Node node) {
                String state =
                    (isReady(node) ? "Ready " : "NotReady ")
                        + node.getStatus().getNodeInfo().getBootID();
                if (nodeStates.isEmpty() || !nodeStates.getLast().equals(state)) {
                  nodeStates.add(state);
                }
              }

              @Override
              public void onClose(WatcherException cause) {}
            });
  }

  private void ask(String from, String operation) {
    centre.merge(
        name,
        """
        {"spec": {"boot": {"from": "%s", "try": 1, "kind": "Reboot", "operation": "%s", "requestedAt": "%s"}}}
        """
            .formatted(from, operation, Instant.now()));
  }

  private void verified(String operation) {
    eventually(() -> {
      assertThat(centre.status(name).verification).isNotNull();
      HostStatus.Verification verification =
          Objects.requireNonNull(centre.status(name).verification);
      assertThat(verification.operation).isEqualTo(operation);
      assertThat(verification.bootId).isEqualTo(bootId());
      assertThat(verification.outcome).isEqualTo(HostStatus.VerificationOutcome.PASSED);
    });
  }

  private void inStep() {
    eventually(() -> {
      Node node = centre.node(name);
      assertThat(node.getStatus().getNodeInfo().getBootID()).isEqualTo(bootId());
      assertThat(isReady(node)).isTrue();
      assertThat(nodeStates).last().isEqualTo("Ready " + bootId());
    });
  }

  private static SimulatedFleet fleet() {
    SimulatedFleet fleet = new SimulatedFleet();
    fleet.setMetadata(new ObjectMetaBuilder().withName(FLEET).build());
    SimulatedFleetSpec spec = new SimulatedFleetSpec();
    spec.zone = "US-EAST-04A";
    SimulatedFleetSpec.Rack rack = new SimulatedFleetSpec.Rack();
    rack.name = "cpu";
    rack.instanceType = "turin-gp";
    rack.hosts = 1;
    spec.racks.add(rack);
    SimulatedFleetSpec.Timings timings = new SimulatedFleetSpec.Timings();
    timings.bootMin = "1s";
    timings.bootMax = "1s";
    timings.reboot = "40s";
    timings.verification = "5s";
    spec.timings = timings;
    fleet.setSpec(spec);
    return fleet;
  }

  private String bootId() {
    return Objects.requireNonNull(centre.status(name).bootId);
  }
}
