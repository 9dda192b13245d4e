package io.nodepool.fleet;

/**
 * The fixed facts of a machine: what it is and where it stands. Empty text means that the fact does
 * not apply, for instance an NVLink domain outside NVL72 racks.
 *
 * @param slot position in the rack, from 0
 */
public record Machine(
    String instanceType,
    String zone,
    String region,
    String rack,
    String rackName,
    int slot,
    String nvlinkDomain,
    String fabric,
    String leafgroup,
    String superpod) {}
