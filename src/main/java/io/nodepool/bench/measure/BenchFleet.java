package io.nodepool.bench.measure;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.client.RequestCounts;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.simulated.cluster.SimulatedFleetController;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/** A simulated data centre in this process whose machines boot and clean in no time. */
public final class BenchFleet implements AutoCloseable {
  private static final String NAME = "bench";
  private static final int PER_RACK = 4;
  private static final String NO_TIME = "0s";

  private final SimulatedFleetController controller;

  private BenchFleet(SimulatedFleetController controller) {
    this.controller = controller;
  }

  /** Starts a data centre and waits until all its machines exist and are free. */
  public static BenchFleet start(BenchCluster cluster, int machines, Deadline deadline) {
    return start(cluster, machines, machines, deadline);
  }

  /** The same with a quota, in Nodes, that differs from the number of machines. */
  public static BenchFleet start(BenchCluster cluster, int machines, int nodes, Deadline deadline) {
    SimulatedFleet fleet = new SimulatedFleet();
    fleet.setMetadata(new ObjectMetaBuilder().withName(NAME).build());
    fleet.setSpec(spec(machines, nodes));
    cluster.client().resource(fleet).create();
    BenchFleet started =
        new BenchFleet(
            SimulatedFleetController.start(
                cluster.config(),
                new SimulatedFleetController.Settings(
                    NAME, OperatorRuntime.NAMESPACE, 1, InstantSource.system())));
    deadline.await(
        "the data centre has created its machines",
        () -> isFree(cluster, machines) && hasOffer(cluster));
    return started;
  }

  private static SimulatedFleetSpec spec(int machines, int nodes) {
    SimulatedFleetSpec spec = new SimulatedFleetSpec();
    spec.zone = "US-EAST-04A";
    spec.region = "US-EAST-04A";
    spec.organization = "bench";
    spec.seed = 1;
    SimulatedFleetSpec.Rack rack = new SimulatedFleetSpec.Rack();
    rack.name = "h100";
    rack.instanceType = BenchCluster.TYPE;
    rack.hosts = machines;
    rack.slotsPerRack = PER_RACK;
    spec.racks = List.of(rack);
    SimulatedFleetSpec.QuotaSpec quota = new SimulatedFleetSpec.QuotaSpec();
    quota.instanceType = BenchCluster.TYPE;
    quota.nodes = nodes;
    spec.quotas = List.of(quota);
    spec.configurations = List.of(configuration("2026.11.1", "GPU driver 580.65.06"));
    SimulatedFleetSpec.Timings timings = new SimulatedFleetSpec.Timings();
    timings.bootMin = NO_TIME;
    timings.bootMax = NO_TIME;
    timings.clean = NO_TIME;
    timings.reboot = NO_TIME;
    timings.verification = NO_TIME;
    spec.timings = timings;
    return spec;
  }

  /**
   * Publishes another configuration, whatever the version of the fleet, whose status changes
   * meanwhile. Returns its identifier.
   */
  public String publish(BenchCluster cluster) {
    SimulatedFleetSpec.Configuration next = configuration("2026.11.2", "GPU driver 580.82.07");
    cluster
        .client()
        .resources(SimulatedFleet.class)
        .withName(NAME)
        .patch(
            PatchContext.of(PatchType.JSON),
            cluster
                .client()
                .getKubernetesSerialization()
                .asJson(
                    List.of(Map.of("op", "add", "path", "/spec/configurations/-", "value", next))));
    return next.name;
  }

  private static SimulatedFleetSpec.Configuration configuration(String name, String driver) {
    SimulatedFleetSpec.Configuration configuration = new SimulatedFleetSpec.Configuration();
    configuration.name = name;
    configuration.summary = List.of(driver, "Kubernetes v1.34.4");
    return configuration;
  }

  /** Whether the status of the SimulatedFleet reports all machines as free. */
  public static boolean isFree(BenchCluster cluster, int machines) {
    SimulatedFleet fleet =
        cluster.client().resources(SimulatedFleet.class).withName(NAME).require();
    return fleet.getStatus() != null
        && fleet.getStatus().free != null
        && fleet.getStatus().free == machines;
  }

  private static boolean hasOffer(BenchCluster cluster) {
    return cluster
            .client()
            .configMaps()
            .inNamespace(OperatorRuntime.NAMESPACE)
            .withName(OfferDocument.NAME)
            .get()
        != null;
  }

  /** The writes that it has sent so far. */
  public RequestCounts writes() {
    return Writes.among(controller.requests());
  }

  @Override
  public void close() {
    controller.close();
  }
}
