package io.nodepool.kubernetes.simulated;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.cli.Crds;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.OfferDocument;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.vocabulary.BootKind;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reboots that are requested by hand on a Host of a simulated data centre. */
@WithLocalCluster
class SimulatedRebootsIT {
  private static final String FLEET = "reboots-it";

  private final KubernetesClient client;
  private final List<String> nodeStates = new CopyOnWriteArrayList<>();
  private Optional<SimulatedFleetController> controller = Optional.empty();
  private String name = "";

  SimulatedRebootsIT(KubernetesClient client) {
    this.client = client;
  }

  @BeforeEach
  void joinANode() {
    Crds.install(client);
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(FLEET).endMetadata().build())
        .serverSideApply();
    client.resource(fleet()).create();
    controller = Optional.of(start());
    eventually(() ->
        assertThat(hosts())
            .singleElement()
            .matches(host -> host.getStatus() != null && host.getStatus().phase != null));
    HostResource host = hosts().getFirst();
    name = host.getMetadata().getName();
    merge(
        """
        {"spec": {"tenancy": 1, "configuration": "c1",
          "assignment": {"pool": "by-hand", "poolUid": "p1", "assignedAt": "%s"}}}
        """
            .formatted(Instant.now()));
    eventually(() -> assertThat(client.nodes().withName(name).get()).isNotNull());
  }

  @AfterEach
  void stopAndRemove() {
    controller.ifPresent(SimulatedFleetController::close);
    client.resources(SimulatedFleet.class).withName(FLEET).delete();
    client.nodes().withName(name).delete();
    client.resources(HostResource.class).withLabel(FleetRequests.FLEET_LABEL, FLEET).delete();
    client.configMaps().inNamespace(FLEET).withName(OfferDocument.NAME).delete();
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
          .untilAsserted(() -> assertThat(status().reboots).isEqualTo(3));
    }

    assertThat(ids).doesNotHaveDuplicates().hasSize(4);
    assertThat(bootId()).isEqualTo(ids.getLast());
    assertThat(status().boot).isNull();
    assertThat(nodeStates)
        .containsExactly(
            "Ready " + ids.get(0),
            "NotReady " + ids.get(0),
            "Ready " + ids.get(1),
            "NotReady " + ids.get(1),
            "Ready " + ids.get(2),
            "NotReady " + ids.get(2),
            "Ready " + ids.get(3));
    assertThat(
            OfferDocument.read(
                    client.configMaps().inNamespace(FLEET).withName(OfferDocument.NAME).get())
                .capabilities()
                .boots())
        .containsExactly(BootKind.values());
  }

  @Test
  void aDataCentreThatIsRestartedInTheMiddleOfARebootMakesNoSecondOne() {
    String first = bootId();
    try (Watch _ = watchNode()) {
      ask(first, "by-hand");
      eventually(() -> assertThat(nodeStates).contains("NotReady " + first));
      String startedAt = Objects.requireNonNull(status().boot).startedAt;
      controller.orElseThrow().close();
      assertThat(Objects.requireNonNull(status().boot).startedAt).isEqualTo(startedAt);
      controller = Optional.of(start());
      verified("by-hand");
      inStep();
    }

    assertThat(status().reboots).isEqualTo(1);
    assertThat(bootId()).isNotEqualTo(first);
    assertThat(nodeStates).hasSize(3);
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

  private static boolean isReady(Node node) {
    return node.getStatus().getConditions().stream()
        .anyMatch(each -> each.getType().equals("Ready") && each.getStatus().equals("True"));
  }

  private void ask(String from, String operation) {
    merge(
        """
        {"spec": {"boot": {"from": "%s", "try": 1, "kind": "Reboot", "operation": "%s", "requestedAt": "%s"}}}
        """
            .formatted(from, operation, Instant.now()));
  }

  private void verified(String operation) {
    eventually(() -> {
      assertThat(status().verification).isNotNull();
      HostStatus.Verification verification = Objects.requireNonNull(status().verification);
      assertThat(verification.operation).isEqualTo(operation);
      assertThat(verification.bootId).isEqualTo(bootId());
      assertThat(verification.outcome).isEqualTo(HostStatus.VerificationOutcome.PASSED);
    });
  }

  private void inStep() {
    eventually(() -> {
      Node node = client.nodes().withName(name).get();
      assertThat(node.getStatus().getNodeInfo().getBootID()).isEqualTo(bootId());
      assertThat(isReady(node)).isTrue();
      assertThat(nodeStates).last().isEqualTo("Ready " + bootId());
    });
  }

  private SimulatedFleetController start() {
    return SimulatedFleetController.start(
        client.getConfiguration(),
        new SimulatedFleetController.Settings(FLEET, FLEET, 10, InstantSource.system()));
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
    timings.reboot = "20s";
    timings.verification = "5s";
    spec.timings = timings;
    fleet.setSpec(spec);
    return fleet;
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

  private String bootId() {
    return Objects.requireNonNull(status().bootId);
  }

  private static void eventually(ThrowingRunnable assertion) {
    await()
        .atMost(Duration.ofSeconds(40))
        .pollInterval(Duration.ofMillis(100))
        .untilAsserted(assertion);
  }
}
