package io.nodepool.bench.measure;

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
    cluster.client().resource(description(cluster, machines, nodes)).create();
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

  private static SimulatedFleet description(BenchCluster cluster, int machines, int nodes) {
    String description =
        """
        apiVersion: fleet.nodepool.io/v1alpha1
        kind: SimulatedFleet
        metadata: {name: bench}
        spec:
          zone: US-EAST-04A
          region: US-EAST-04A
          organization: bench
          seed: 1
          racks: [{name: h100, instanceType: %1$s, hosts: %2$d, slotsPerRack: 4}]
          quotas: [{instanceType: %1$s, nodes: %3$d}]
          configurations:
            - {name: 2026.11.1, summary: [GPU driver 580.65.06, Kubernetes v1.34.4]}
          timings: {bootMin: 0s, bootMax: 0s, clean: 0s, reboot: 0s, verification: 0s}
        """
            .formatted(BenchCluster.TYPE, machines, nodes);
    return cluster
        .client()
        .getKubernetesSerialization()
        .unmarshal(description, SimulatedFleet.class);
  }

  /**
   * Publishes another configuration, and returns its identifier. Ignores the fleet's version, since
   * its status changes meanwhile.
   */
  public String publish(BenchCluster cluster) {
    SimulatedFleetSpec.Configuration next = new SimulatedFleetSpec.Configuration();
    next.name = "2026.11.2";
    next.summary = List.of("GPU driver 580.82.07", "Kubernetes v1.34.4");
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
