package io.nodepool.simulated.cluster.node;

import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.cluster.document.DataCentreDocument;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A data centre with a rack of every instance type, and the first Node of each in a pool with the
 * name of its type.
 */
public final class SampleNodes {
  /** When they joined. */
  public static final Instant JOINED = Instant.parse("2026-01-01T00:00:00Z");

  private static final InstanceCatalogue CATALOGUE = InstanceCatalogue.bundled();
  private static final int FIRST_RACK = 101;
  private static final String CPU_BOOT = "ncore-2.12.0_6.8.0-60-generic_none_v1.34.3";
  private static final String GPU_BOOT = "ncore-2.12.0_6.8.0-60-generic_580.65.06_v1.34.3";

  private SampleNodes() {}

  /** The data centre. */
  public static SimulatedFleetSpec centre() {
    SimulatedFleetSpec spec = new SimulatedFleetSpec();
    spec.zone = "US-EAST-04A";
    spec.region = "US-EAST-04";
    spec.organization = "cw9a2f";
    spec.cluster = "train";
    spec.seed = 1;
    for (InstanceType type : CATALOGUE.all()) {
      SimulatedFleetSpec.Rack rack = new SimulatedFleetSpec.Rack();
      rack.name = Integer.toString(FIRST_RACK + spec.racks.size());
      rack.instanceType = type.name();
      rack.hosts = Math.max(1, type.rackSize());
      spec.racks.add(rack);
    }
    SimulatedFleetSpec.Timings timings = new SimulatedFleetSpec.Timings();
    timings.bootMin = "0s";
    timings.bootMax = "0s";
    timings.clean = "0s";
    spec.timings = timings;
    spec.releases = List.of(release());
    return spec;
  }

  private static SimulatedFleetSpec.PublishedRelease release() {
    SimulatedFleetSpec.ReleasedImage image = new SimulatedFleetSpec.ReleasedImage();
    image.name = "ncore-2.12.0";
    image.train = "stable";
    image.kernels = new ArrayList<>(List.of("6.8.0-60-generic"));
    SimulatedFleetSpec.PublishedRelease release = new SimulatedFleetSpec.PublishedRelease();
    release.name = "2026.10";
    release.images = new ArrayList<>(List.of(image));
    release.gpuDrivers = new ArrayList<>(List.of("580.65.06"));
    release.kubernetesVersion = "v1.34.3";
    return release;
  }

  /** The first Node of each type, in name order. */
  public static List<Node> all() {
    DataCentreDocument.Reading.Valid read =
        (DataCentreDocument.Reading.Valid) DataCentreDocument.read(centre(), CATALOGUE);
    DataCentre centre = read.dataCentre();
    NodeBlueprint blueprint =
        new NodeBlueprint(centre.offer(), centre.site().cluster(), read.kubeletVersion(), true);
    TreeMap<String, Node> nodes = new TreeMap<>();
    for (DataCentre.Slot slot : centre.slots(CATALOGUE)) {
      String name = slot.machine().instanceType();
      InstanceType type = CATALOGUE.find(name).orElseThrow();
      nodes.computeIfAbsent(name, _ -> blueprint.of(host(slot, type), type, JOINED));
    }
    return List.copyOf(nodes.values());
  }

  private static Host host(DataCentre.Slot slot, InstanceType type) {
    String boot = type.isGpu() ? GPU_BOOT : CPU_BOOT;
    PoolId pool = new PoolId(type.name(), "9311678d-4064-45b8-8439-b943250e5852");
    return new Host(
        new HostId(slot.host(), "5f0c7c1e-4d1b-4a86-8c55-0d7b3f8f1f0a"),
        1,
        slot.machine(),
        new Host.Occupancy(
            1,
            Optional.of(new Assignment(pool, "default", "assign/1", JOINED, NodeTemplate.EMPTY)),
            boot,
            Host.Power.ON),
        DeliveryHistory.CLEAN,
        new Host.Report(
            HostPhase.RUNNING, 1, "6f4b7a0c-1c0d-4e21-9d54-2f1f4c0e8a53", boot, JOINED));
  }
}
