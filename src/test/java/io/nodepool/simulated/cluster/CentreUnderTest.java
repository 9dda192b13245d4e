package io.nodepool.simulated.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.cli.command.Crds;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.awaitility.core.ThrowingRunnable;

/** A simulated data centre on the local cluster, whose Hosts a test assigns by hand. */
final class CentreUnderTest implements AutoCloseable {
  private final KubernetesClient client;
  private final String fleet;
  private Optional<SimulatedFleetController> controller = Optional.empty();

  /** Creates the fleet in a namespace of its name, and starts its controller. */
  CentreUnderTest(KubernetesClient client, SimulatedFleet fleet) {
    this.client = client;
    this.fleet = fleet.getMetadata().getName();
    Crds.install(client);
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(this.fleet).endMetadata().build())
        .serverSideApply();
    client.resource(fleet).create();
    restart();
  }

  /** Ends the controller, if it runs. */
  void stop() {
    controller.ifPresent(SimulatedFleetController::close);
    controller = Optional.empty();
  }

  /** Ends the controller, if it runs, and starts another one. */
  void restart() {
    stop();
    controller = Optional.of(another());
  }

  /** The controller, which must run. */
  SimulatedFleetController controller() {
    return controller.orElseThrow();
  }

  /** A further controller of the same fleet. */
  SimulatedFleetController another() {
    return SimulatedFleetController.start(
        client.getConfiguration(),
        new SimulatedFleetController.Settings(fleet, fleet, 10, InstantSource.system()));
  }

  List<HostResource> hosts() {
    return client
        .resources(HostResource.class)
        .withLabel(FleetRequests.FLEET_LABEL, fleet)
        .list()
        .getItems();
  }

  HostResource host(String name) {
    return client.resources(HostResource.class).withName(name).get();
  }

  HostStatus status(String host) {
    return Objects.requireNonNull(host(host).getStatus());
  }

  Node node(String name) {
    return client.nodes().withName(name).get();
  }

  ConfigMap offer() {
    return client.configMaps().inNamespace(fleet).withName(OfferDocument.NAME).get();
  }

  /** Changes a Host by a merge patch, as an operator does. */
  void merge(String host, String patch) {
    client
        .resources(HostResource.class)
        .withName(host)
        .patch(PatchContext.of(PatchType.JSON_MERGE), patch);
  }

  /** Assigns the only Host, and returns its name once its Node exists. */
  String joins(String configuration) {
    eventually(() ->
        assertThat(hosts())
            .singleElement()
            .matches(host -> host.getStatus() != null && host.getStatus().phase != null));
    String name = hosts().getFirst().getMetadata().getName();
    merge(
        name,
        """
        {"spec": {"tenancy": 1, "configuration": "%s",
          "assignment": {"pool": "by-hand", "poolUid": "p1", "assignedAt": "%s"}}}
        """
            .formatted(configuration, Instant.now()));
    eventually(() -> assertThat(node(name)).isNotNull());
    return name;
  }

  static boolean isReady(Node node) {
    return node.getStatus().getConditions().stream()
        .anyMatch(each -> each.getType().equals("Ready") && each.getStatus().equals("True"));
  }

  /** Repeats an assertion until it holds, for 40 s; what it reads may not be there yet. */
  static void eventually(ThrowingRunnable assertion) {
    await()
        .atMost(Duration.ofSeconds(40))
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptions()
        .untilAsserted(assertion);
  }

  /** Ends the controller and removes what belongs to the fleet. */
  @Override
  public void close() {
    stop();
    client.resources(SimulatedFleet.class).withName(fleet).delete();
    hosts().forEach(host -> client.nodes().withName(host.getMetadata().getName()).delete());
    client.resources(HostResource.class).withLabel(FleetRequests.FLEET_LABEL, fleet).delete();
    client.configMaps().inNamespace(fleet).withName(OfferDocument.NAME).delete();
  }
}
