package io.nodepool.receiver.alertmanager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NodeCondition;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.nodepool.kubernetes.ClientEdit;
import io.nodepool.kubernetes.TestCluster;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.api.HostSignalsSpec;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.leader.Leadership;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.simulated.cluster.SimulatedFleetController;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AlertCondition;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Nodes of a pool on a simulated data centre, and what the API server says about their alerts. */
final class MonitoredNodes implements AutoCloseable {
  private static final String NAME = "monitored";
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final int SLOTS = 25;
  private static final Duration SOON = Duration.ofMinutes(5);

  private final KubernetesClient admin;
  private final SimulatedFleetController dataCentre;

  /** Starts the data centre; an operator must run for there to be Nodes. */
  MonitoredNodes(LocalCluster cluster, KubernetesClient admin, int number) {
    this.admin = admin;
    TestCluster.prepare(admin);
    forgetLeader();
    SimulatedFleet fleet = new SimulatedFleet();
    fleet.setMetadata(new ObjectMetaBuilder().withName(NAME).build());
    SimulatedFleetSpec centre = new SimulatedFleetSpec();
    centre.zone = "US-EAST-04A";
    SimulatedFleetSpec.Rack racks = new SimulatedFleetSpec.Rack();
    racks.name = "1";
    racks.instanceType = TYPE;
    racks.hosts = number;
    racks.slotsPerRack = SLOTS;
    centre.racks = List.of(racks);
    SimulatedFleetSpec.Timings timings = new SimulatedFleetSpec.Timings();
    timings.bootMin = "0s";
    timings.bootMax = "0s";
    centre.timings = timings;
    fleet.setSpec(centre);
    admin.resource(fleet).create();
    this.dataCentre =
        SimulatedFleetController.start(
            Config.fromKubeconfig(cluster.kubeconfig()),
            new SimulatedFleetController.Settings(
                NAME, OperatorRuntime.NAMESPACE, 1, InstantSource.system()));
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName(NAME).build());
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = TYPE;
    spec.targetNodes = number;
    pool.setSpec(spec);
    admin.resource(pool).create();
  }

  /** Waits until all Nodes are registered; their names. */
  List<String> names(int number) {
    await()
        .atMost(SOON)
        .until(() -> {
          NodePool pool = admin.resources(NodePool.class).withName(NAME).require();
          return pool.getStatus() != null && Objects.equals(pool.getStatus().currentNodes, number);
        });
    return admin.nodes().list().getItems().stream().map(ObjectFacts::name).sorted().toList();
  }

  /** The names of the objects with signals. */
  Set<String> reported() {
    return admin.resources(HostSignalsResource.class).list().getItems().stream()
        .map(ObjectFacts::name)
        .collect(Collectors.toSet());
  }

  /** The signals about a machine. */
  Optional<HostSignalsResource> signals(String host) {
    return Optional.ofNullable(admin.resources(HostSignalsResource.class).withName(host).get());
  }

  /** The one signal about a machine. */
  HostSignalsSpec.Entry signal(String host, String key) {
    HostSignalsResource object = signals(host).orElseThrow();
    assertThat(object.getSpec().signals).containsOnlyKeys(key);
    return Objects.requireNonNull(object.getSpec().signals.get(key));
  }

  /** How often HostSignals were created or changed, as the API server counts the requests. */
  long writes() {
    return admin
        .raw("/metrics")
        .lines()
        .filter(line -> line.startsWith("apiserver_request_total{"))
        .filter(line -> line.contains("resource=\"hostsignals\""))
        .filter(line -> line.matches(".*verb=\"(APPLY|PATCH|POST|PUT)\".*"))
        .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  /** The condition of an alert that a Node shows. */
  Optional<NodeCondition> condition(String node, String alert) {
    return admin.nodes().withName(node).require().getStatus().getConditions().stream()
        .filter(condition -> AlertCondition.is(condition.getType(), condition.getReason()))
        .filter(condition -> condition.getType().equals(alert))
        .findFirst();
  }

  /** The Nodes that show an alert. */
  Set<String> showing(String alert) {
    return admin.nodes().list().getItems().stream()
        .filter(node ->
            node.getStatus().getConditions().stream()
                .anyMatch(condition ->
                    condition.getType().equals(alert)
                        && condition.getStatus().equals("True")
                        && AlertCondition.is(alert, condition.getReason())))
        .map(ObjectFacts::name)
        .collect(Collectors.toSet());
  }

  /** The Events by which an alert on a Node was announced. */
  List<Event> triggered(String node, String alert) {
    return triggered(alert).stream()
        .filter(event -> event.getInvolvedObject().getName().equals(node))
        .toList();
  }

  /** The same on all Nodes. */
  List<Event> triggered(String alert) {
    return admin.v1().events().inAnyNamespace().list().getItems().stream()
        .filter(event -> EventReason.NODE_ALERT_TRIGGERED.word().equals(event.getReason()))
        .filter(event -> event.getInvolvedObject().getKind().equals("Node"))
        .filter(event -> event.getMessage().contains(alert))
        .toList();
  }

  private Resource<Lease> lease() {
    return admin.leases().inNamespace(Leadership.NAMESPACE).withName(Leadership.LEASE);
  }

  /** The identity of the leader; empty text if there is none. */
  String leader() {
    Lease lease = lease().get();
    return lease == null ? "" : Objects.requireNonNullElse(lease.getSpec().getHolderIdentity(), "");
  }

  /** Lets the Lease of a leader that has died last, so that no other process leads yet. */
  void keepLease() {
    ClientEdit.edited(lease(), lease -> lease.getSpec().setLeaseDurationSeconds(3600));
  }

  /** Deletes the Lease of a leader that has died, as if it had expired. */
  void forgetLeader() {
    lease().delete();
  }

  /** Deletes all signals. */
  void forgetSignals() {
    admin.resources(HostSignalsResource.class).delete();
    await().atMost(SOON).until(() -> reported().isEmpty());
  }

  @Override
  public void close() {
    dataCentre.close();
    ClientEdit.edited(
        admin.resources(NodePool.class).withName(NAME),
        pool -> pool.getMetadata().setFinalizers(List.of()));
    admin.resources(NodePool.class).delete();
    admin.resources(SimulatedFleet.class).delete();
    deleteEach(admin.resources(HostResource.class).list().getItems());
    deleteEach(admin.nodes().list().getItems());
    admin.configMaps().inNamespace(OperatorRuntime.NAMESPACE).withName(OfferDocument.NAME).delete();
    admin.v1().events().inNamespace("default").delete();
  }

  /** To delete hundreds by one request takes longer than a client waits for its answer. */
  private void deleteEach(List<? extends HasMetadata> objects) {
    objects.parallelStream().forEach(each -> admin.resource(each).delete());
  }
}
