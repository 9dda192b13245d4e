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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The labels that a Node has from its machine, its fleet and its pool (contract §9 and §20). Pure.
 */
final class MachineLabels {
  private static final String OPERATING_SYSTEM = "linux";

  /** Speed of an adapter of the network between the GPUs, in Gbit/s. */
  private static final int ADAPTER_SPEED = 400;

  private static final String ETHERNET_SPEED = "100G";
  private static final String ADAPTER_PART = "MCX75310AAS-NEAT";
  private static final String ADAPTER_FIRMWARE = "28.43.2026";
  private static final String FIRMWARE_BUNDLE = "%s-2026.10.1";

  /** Product names of GPUs that are not made of model and memory. */
  private static final Map<String, String> PRODUCT_NAMES = Map.of("gd-1xgh200", "GH200_480GB");

  /** The memory of a GPU that its driver reports, in MiB, by model (contract §21). */
  private static final Map<String, Integer> DRIVER_MEMORY =
      Map.of(
          "A100", 81_920,
          "B200", 183_359,
          "GB200", 189_471,
          "H100", 81_559,
          "H200", 143_771,
          "L40", 46_068,
          "L40S", 46_068);

  private static final int MIB_IN_LABEL = 1000;

  /** The labels that a machine without a fabric has too, with an empty value (contract §20). */
  private static final List<NodeLabels> OF_A_FABRIC =
      List.of(
          NodeLabels.IB_FABRIC,
          NodeLabels.IB_LEAFGROUP,
          NodeLabels.IB_SUPERPOD,
          NodeLabels.BACKEND_FABRIC,
          NodeLabels.BACKEND_LEAFGROUP,
          NodeLabels.BACKEND_SUPERPOD);

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
    made.put(NodeLabels.ORGANIZATION, offer.organization());
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
    put(NodeLabels.ARCHITECTURE, type.resources().processor().architecture());
    put(NodeLabels.BETA_ARCHITECTURE, type.resources().processor().architecture());
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
    put(NodeLabels.CPU_CORES, Integer.toString(type.resources().processor().vcpus()));
    put(NodeLabels.CPU_FAMILY, type.resources().processor().family());
    put(NodeLabels.FIRMWARE_BUNDLE_CURRENT, FIRMWARE_BUNDLE.formatted(type.name()));
    put(NodeLabels.FIRMWARE_BUNDLE_TARGET, FIRMWARE_BUNDLE.formatted(type.name()));
    // Machines without GPUs carry the key too (contract §21).
    labels.put(NodeLabels.GPU_MODEL.key(), "");
    type.gpus().model().ifPresent(model -> gpus(model, driver));
  }

  private void gpus(String model, String driver) {
    String word = model.replace(' ', '_');
    put(NodeLabels.GPU_COUNT, Integer.toString(type.gpus().count()));
    // If the model's name has blanks, the class is the instance type (contract §9).
    put(NodeLabels.GPU_CLASS, word.equals(model) ? model : type.name());
    put(NodeLabels.GPU_MODEL, PRODUCT_NAMES.getOrDefault(type.name(), word));
    Integer reported = DRIVER_MEMORY.get(model);
    int memory = reported == null ? type.gpus().memoryGb() : reported / MIB_IN_LABEL;
    put(NodeLabels.GPU_MEMORY, Integer.toString(memory));
    put(NodeLabels.GPU_VENDOR, "NVIDIA");
    put(NodeLabels.GPU_DRIVER_VERSION, driver);
  }

  private void network() {
    put(NodeLabels.ETHERNET_SPEED, ETHERNET_SPEED);
    switch (type.network()) {
      case INFINIBAND -> {
        infiniband();
        backend();
      }
      case ROCE -> backend();
      case ETHERNET -> OF_A_FABRIC.forEach(label -> labels.put(label.key(), ""));
    }
  }

  /** One adapter, with one port, for each GPU; one for a machine without GPUs. */
  private int ports() {
    return Math.max(1, type.gpus().count());
  }

  /** The sum of all adapters (contract §20). */
  private String speed() {
    return ports() * ADAPTER_SPEED + "G";
  }

  private void infiniband() {
    String leaves = ofEachPort(this::leafId);
    String ports = ofEachPort(_ -> port());
    put(NodeLabels.IB_FABRIC, machine.interconnect().fabric());
    put(NodeLabels.IB_LEAFGROUP, machine.interconnect().leafgroup().id());
    put(NodeLabels.IB_SUPERPOD, machine.interconnect().superpod());
    put(NodeLabels.IB_LEAVES_CURRENT, leaves);
    put(NodeLabels.IB_LEAVES_EXPECTED, leaves);
    put(NodeLabels.IB_PORTS_CURRENT, ports);
    put(NodeLabels.IB_PORTS_EXPECTED, ports);
    put(NodeLabels.IB_SPEED, speed());
    put(NodeLabels.IB_SPEED_CURRENT, speed());
    put(NodeLabels.IB_SPEED_EXPECTED, speed());
    for (int i = 0; i < ports(); i++) {
      put(NodeInterfaceLabels.IB_NEIGHBOR_CURRENT_DEVICE, i, leaf(i));
      put(NodeInterfaceLabels.IB_NEIGHBOR_EXPECTED_DEVICE, i, leaf(i));
      put(NodeInterfaceLabels.IB_NEIGHBOR_CURRENT_PORT_ID, i, port());
      put(NodeInterfaceLabels.IB_NEIGHBOR_EXPECTED_PORT_ID, i, port());
    }
  }

  private void backend() {
    put(NodeLabels.BACKEND_ENABLED, "true");
    put(NodeLabels.BACKEND_FLAVOR, type.network().word());
    put(NodeLabels.BACKEND_FABRIC, machine.interconnect().fabric());
    put(NodeLabels.BACKEND_LEAFGROUP, machine.interconnect().leafgroup().id());
    put(NodeLabels.BACKEND_LEAFGROUP_NAME, machine.interconnect().leafgroup().name());
    put(NodeLabels.BACKEND_SUPERPOD, machine.interconnect().superpod());
    put(NodeLabels.BACKEND_SPEED_CURRENT, speed());
    put(NodeLabels.BACKEND_SPEED_EXPECTED, speed());
    for (int i = 0; i < ports(); i++) {
      put(NodeInterfaceLabels.BACKEND_NEIGHBOR_EXPECTED_DEVICE, i, leaf(i));
      put(NodeInterfaceLabels.ADAPTER_PART_NUMBER, i, ADAPTER_PART);
      put(NodeInterfaceLabels.ADAPTER_FIRMWARE, i, ADAPTER_FIRMWARE);
    }
  }

  /** Each adapter has a leaf switch of its own: {@code L90.1.3} is the third of group 90.1. */
  private String leaf(int i) {
    return "L%s.%d"
        .formatted(machine.interconnect().leafgroup().name().replaceFirst("-.*", ""), i + 1);
  }

  /** The digits of a leaf switch: a label's value has no room for eight names. */
  private String leafId(int i) {
    return leaf(i).replaceAll("[^0-9]", "");
  }

  private String port() {
    return machine.interconnect().leafgroup().port();
  }

  private String ofEachPort(IntFunction<String> value) {
    return IntStream.range(0, ports()).mapToObj(value).collect(Collectors.joining("_"));
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
