package io.nodepool.fleet;

/**
 * The fixed facts of a machine: what it is, where it stands and what it is connected to. Empty text
 * means that the fact does not apply, for instance an NVLink domain outside NVL72 racks.
 */
public record Machine(String instanceType, Location location, Interconnect interconnect) {

  /**
   * Where a machine stands.
   *
   * @param slot position in the rack, from 0
   */
  public record Location(String zone, String region, String rack, String rackName, int slot) {}

  /** What a machine is connected to besides Ethernet. */
  public record Interconnect(
      String nvlinkDomain, String fabric, String leafgroup, String superpod) {
    /** Nothing. */
    public static final Interconnect NONE = new Interconnect("", "", "", "");
  }

  /** The rack that it stands in. */
  public String rack() {
    return location.rack();
  }

  /** Its position in the rack, from 0. */
  public int slot() {
    return location.slot();
  }
}
