package io.nodepool.fleet;

/**
 * The fixed properties of a machine: its instance type, location and interconnect. Empty text means
 * that the property does not apply, for instance an NVLink domain outside NVL72 racks.
 */
public record Machine(String instanceType, Location location, Interconnect interconnect) {

  /**
   * The location of a machine.
   *
   * @param slot position in the rack, from 0
   */
  public record Location(String zone, String region, String rack, String rackName, int slot) {}

  /** The networks of a machine in addition to Ethernet. */
  public record Interconnect(
      String nvlinkDomain, String fabric, LeafGroup leafgroup, String superpod) {
    /** Ethernet only. */
    public static final Interconnect NONE = new Interconnect("", "", LeafGroup.NONE, "");
  }

  /**
   * The group of leaf switches that a machine is connected to.
   *
   * @param id its identifier, a number
   * @param name its name, such as {@code 90.1-DH1}
   * @param port the port of each of its switches that the machine is connected to; empty text if
   *     that is not known
   */
  public record LeafGroup(String id, String name, String port) {
    /** None: a machine without a fabric. */
    public static final LeafGroup NONE = new LeafGroup("", "", "");
  }

  /** The rack of the machine. */
  public String rack() {
    return location.rack();
  }

  /** The position of the machine in its rack, from 0. */
  public int slot() {
    return location.slot();
  }
}
