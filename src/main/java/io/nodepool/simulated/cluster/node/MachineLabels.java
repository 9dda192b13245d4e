package io.nodepool.simulated.cluster.node;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.fleet.catalogue.Network;
import io.nodepool.vocabulary.metadata.NodeInterfaceLabels;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The labels that a Node has from its machine, its fleet and its pool (contract §9). Pure. */
public final class MachineLabels {
  private static final String OPERATING_SYSTEM = "linux";
  private static final String PORT_SPEED = "400G";

  /** Product names of GPUs that are not made of model and memory. */
  private static final Map<String, String> PRODUCT_NAMES = Map.of("gd-1xgh200", "GH200_480GB");

  private final TreeMap<String, String> labels = new TreeMap<>();
  private final Machine machine;
  private final InstanceType type;

  private MachineLabels(Machine machine, InstanceType type) {
    this.machine = machine;
    this.type = type;
  }

  /**
   * The labels of the Node that an assigned Host joins as.
   *
   * @param driver version of the GPU driver that it booted with
   */
  static SortedMap<String, String> of(
      Host host, InstanceType type, FleetOffer offer, String driver) {
    MachineLabels made = new MachineLabels(host.machine(), type);
    made.system(host.id().name());
    made.place();
    made.kind(driver);
    made.network();
    made.put(NodeLabels.STATE, Reservation.PRODUCTION);
    made.put(NodeLabels.RESERVED, reserved(host, offer.organization()));
    host.assignment().ifPresent(made::pool);
    return made.labels;
  }

  /** The reservation: a machine of the simulated fleet joins ready for work. */
  private static String reserved(Host host, String organization) {
    String pool = host.assignment().map(assignment -> assignment.pool().name()).orElse("");
    return Reservation.of(Reservation.PRODUCTION, pool, organization);
  }

  /** The taint of the reservation, if any. */
  static Optional<Taint> reservation(Host host) {
    return Reservation.taint(Reservation.PRODUCTION, reserved(host, ""));
  }

  private void pool(Assignment assignment) {
    put(NodeLabels.NODE_POOL, assignment.pool().name());
    put(NodeLabels.NODE_POOL_UID, assignment.pool().uid());
    put(NodeLabels.COMPUTE_CLASS, assignment.computeClass());
  }

  private void system(String name) {
    put(NodeLabels.HOSTNAME, name);
    put(NodeLabels.ARCHITECTURE, type.resources().architecture());
    put(NodeLabels.BETA_ARCHITECTURE, type.resources().architecture());
    put(NodeLabels.OPERATING_SYSTEM, OPERATING_SYSTEM);
    put(NodeLabels.BETA_OPERATING_SYSTEM, OPERATING_SYSTEM);
  }

  private void place() {
    put(NodeLabels.REGION, machine.location().region());
    put(NodeLabels.ZONE, machine.location().zone());
    put(NodeLabels.RACK, machine.rack());
    put(NodeLabels.SLOT, Integer.toString(machine.slot()));
    put(NodeLabels.RACK_NAME, machine.location().rackName());
    put(NodeLabels.NVLINK_DOMAIN, machine.interconnect().nvlinkDomain());
  }

  private void kind(String driver) {
    put(NodeLabels.INSTANCE_TYPE, type.name());
    put(NodeLabels.LEGACY_TYPE, type.name());
    put(NodeLabels.TYPE, type.name());
    put(NodeLabels.CLASS, type.isGpu() ? "gpu" : "cpu");
    put(NodeLabels.CPU_CORES, Integer.toString(type.resources().vcpus()));
    type.gpus().model().ifPresent(model -> gpus(model, driver));
  }

  private void gpus(String model, String driver) {
    String word = model.replace(' ', '_');
    put(NodeLabels.GPU_COUNT, Integer.toString(type.gpus().count()));
    // If the model's name has blanks, the class is the instance type (contract §9).
    put(NodeLabels.GPU_CLASS, word.equals(model) ? model : type.name());
    put(
        NodeLabels.GPU_MODEL,
        PRODUCT_NAMES.getOrDefault(type.name(), word + "_" + type.gpus().memoryGb() + "GB"));
    put(NodeLabels.GPU_VENDOR, "NVIDIA");
    put(NodeLabels.GPU_DRIVER_VERSION, driver);
  }

  private void network() {
    switch (type.network()) {
      case INFINIBAND -> {
        infiniband();
        backend();
      }
      case ROCE -> backend();
      case ETHERNET -> {}
    }
  }

  /** One port for each GPU, one for a machine without. */
  private int ports() {
    return Math.max(1, type.gpus().count());
  }

  private void infiniband() {
    String ports = Integer.toString(ports());
    put(NodeLabels.IB_FABRIC, machine.interconnect().fabric());
    put(NodeLabels.IB_LEAFGROUP, machine.interconnect().leafgroup());
    put(NodeLabels.IB_SUPERPOD, machine.interconnect().superpod());
    put(NodeLabels.IB_LEAVES_CURRENT, ports);
    put(NodeLabels.IB_LEAVES_EXPECTED, ports);
    put(NodeLabels.IB_PORTS_CURRENT, ports);
    put(NodeLabels.IB_PORTS_EXPECTED, ports);
    put(NodeLabels.IB_SPEED, PORT_SPEED);
    put(NodeLabels.IB_SPEED_CURRENT, PORT_SPEED);
    put(NodeLabels.IB_SPEED_EXPECTED, PORT_SPEED);
    String port = Integer.toString(machine.slot() + 1);
    for (int i = 0; i < ports(); i++) {
      put(NodeInterfaceLabels.IB_NEIGHBOR_CURRENT_DEVICE, i, leaf(i));
      put(NodeInterfaceLabels.IB_NEIGHBOR_EXPECTED_DEVICE, i, leaf(i));
      put(NodeInterfaceLabels.IB_NEIGHBOR_CURRENT_PORT_ID, i, port);
      put(NodeInterfaceLabels.IB_NEIGHBOR_EXPECTED_PORT_ID, i, port);
    }
  }

  private void backend() {
    put(NodeLabels.BACKEND_FLAVOR, type.network().word());
    put(NodeLabels.BACKEND_FABRIC, machine.interconnect().fabric());
    put(NodeLabels.BACKEND_LEAFGROUP, machine.interconnect().leafgroup());
    put(NodeLabels.BACKEND_LEAFGROUP_NAME, leafgroupName(machine));
    put(NodeLabels.BACKEND_SUPERPOD, machine.interconnect().superpod());
    for (int i = 0; i < ports(); i++) {
      put(NodeInterfaceLabels.BACKEND_NEIGHBOR_EXPECTED_DEVICE, i, leaf(i));
    }
  }

  /** The name of a machine's group of leaf switches; empty text if it has none. */
  public static String leafgroupName(Machine machine) {
    return machine.interconnect().leafgroup().isEmpty()
        ? ""
        : "leafgroup-" + machine.interconnect().leafgroup();
  }

  private String leaf(int i) {
    return "leaf-%s-%d".formatted(machine.rack(), i);
  }

  private String interfaceName(int i) {
    return (type.network() == Network.INFINIBAND ? "ibp" : "eth") + i;
  }

  private void put(NodeInterfaceLabels label, int port, String value) {
    labels.put(label.key(interfaceName(port)), value);
  }

  /** Sets a label, unless its value is empty because it does not apply to the machine. */
  private void put(NodeLabels label, String value) {
    if (!value.isEmpty()) {
      labels.put(label.key(), value);
    }
  }
}
