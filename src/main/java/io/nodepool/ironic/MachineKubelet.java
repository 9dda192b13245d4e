package io.nodepool.ironic;

import io.nodepool.fleet.Host;

/**
 * The Node of a Host's name as last observed: the parts that identify its kubelet. Empty text means
 * that a value is absent.
 *
 * @param hostUid the Host that the fleet wrote on it
 * @param tenancy the tenancy that the fleet wrote on it
 * @param bootId the boot that its kubelet reports
 * @param systemUuid the machine that its kubelet reports
 */
public record MachineKubelet(
    String uid,
    String version,
    String hostUid,
    String tenancy,
    String bootId,
    String systemUuid,
    boolean deleted) {
  /** Whether the Node is the one of the Host's present tenancy. */
  boolean isOf(Host host) {
    return hostUid.equals(host.id().uid()) && tenancy.equals(Integer.toString(host.tenancy()));
  }

  /** Whether the Node has no recorded Host and tenancy, and is not being deleted. */
  boolean isUnidentified() {
    return hostUid.isEmpty() && tenancy.isEmpty() && !deleted;
  }

  /** Whether a kubelet reports, and from this machine if Ironic knows its system UUID. */
  boolean reportsFrom(IronicNode node) {
    String known = node.extra().getOrDefault("system_uuid", "");
    return !bootId.isEmpty() && (known.isEmpty() || known.equalsIgnoreCase(systemUuid));
  }
}
