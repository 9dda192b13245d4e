package io.nodepool.kubernetes;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.HostReportConversion;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.JoinedNode;
import io.nodepool.simulated.MachineLife;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A minimal fleet for tests: reads all Hosts ten times a second and does what they request. */
public final class PollingFleet implements AutoCloseable {
  private static final DataCentre CENTRE =
      new DataCentre(
          new DataCentre.Site("US-EAST-04A", "US-EAST", "org"),
          7,
          List.of(new DataCentre.Rack("12", TestCluster.TYPE, 12)),
          new DataCentre.Terms(
              new TreeMap<>(),
              new TreeSet<>(),
              List.of(FleetRelease.whole("c1", List.of("image 1"))),
              new TreeMap<>()),
          new DataCentre.Timings(
              Duration.ofMillis(100), Duration.ofMillis(400), Duration.ofMillis(100)),
          DataCentre.Mishaps.NONE);

  private final KubernetesClient client;
  private final MachineLife life = new MachineLife(CENTRE, Stream::empty);
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();

  public PollingFleet(KubernetesClient client) {
    this.client = client;
  }

  public void start() {
    CENTRE
        .slots(InstanceCatalogue.bundled())
        .forEach(slot -> TestCluster.freeHost(client, slot.host(), slot.machine()));
    client
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName(OfferDocument.NAME)
                .withNamespace(OperatorRuntime.NAMESPACE)
                .endMetadata()
                .addToData(OfferDocument.KEY, OfferDocument.write(CENTRE.offer()))
                .build())
        .serverSideApply();
    var _ = thread.scheduleWithFixedDelay(this::check, 0, 100, TimeUnit.MILLISECONDS);
  }

  private void check() {
    for (HostResource object : client.resources(HostResource.class).list().getItems()) {
      try {
        HostConversion.host(object).ifPresent(this::check);
      } catch (KubernetesClientException e) {
        // Another client changed it first; the next poll reads that.
      }
    }
  }

  private void check(Host host) {
    Optional<JoinedNode> node =
        Optional.ofNullable(client.nodes().withName(host.id().name()).get())
            .flatMap(NodeConversion::node)
            .map(each -> JoinedNode.of(each, host));
    life.next(host, node, Optional.empty(), InstantSource.system().instant())
        .action()
        .ifPresent(this::act);
  }

  private void act(FleetAction action) {
    switch (action) {
      case FleetAction.ReportHost(Host seen, Host.Report report) ->
          client
              .resources(HostResource.class)
              .withName(seen.id().name())
              .editStatus(object -> {
                object.setStatus(HostReportConversion.status(report));
                return object;
              });
      case FleetAction.JoinNode(Host host) -> join(host);
      case FleetAction.ReportReadiness readiness -> report(readiness);
      case FleetAction.StartPod _, FleetAction.ReportRun _, FleetAction.EndPod _ ->
          throw new IllegalStateException("this fleet has no kubelets");
    }
  }

  private void report(FleetAction.ReportReadiness readiness) {
    client
        .nodes()
        .withName(readiness.host().id().name())
        .editStatus(node ->
            new NodeBuilder(node)
                .editStatus()
                .editOrNewNodeInfo()
                .withBootID(readiness.host().report().bootId())
                .endNodeInfo()
                .editMatchingCondition(condition -> condition.getType().equals("Ready"))
                .withStatus(readiness.ready() ? "True" : "False")
                .endCondition()
                .endStatus()
                .build());
  }

  private void join(Host host) {
    client
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(host.id().name())
                .withLabels(
                    Map.of(
                        NodeLabels.NODE_POOL_UID.key(),
                        host.assignment().orElseThrow().pool().uid()))
                .addToAnnotations(NodeAnnotations.HOST_UID.key(), host.id().uid())
                .addToAnnotations(NodeAnnotations.TENANCY.key(), Integer.toString(host.tenancy()))
                .endMetadata()
                .withNewStatus()
                .withNewNodeInfo()
                .withBootID(host.report().bootId())
                .endNodeInfo()
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .withReason("Test")
                .endCondition()
                .endStatus()
                .build())
        .create();
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
