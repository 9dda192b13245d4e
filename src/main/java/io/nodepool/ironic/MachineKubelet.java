package io.nodepool.ironic;

import io.nodepool.fleet.Host;

/**
 * The Node of a Host's name as last seen, as far as it says who reports there. Empty text stands
 * for what is absent.
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

  /** Whether nobody has said whose the Node is. */
  boolean isUnidentified() {
    return hostUid.isEmpty() && tenancy.isEmpty() && !deleted;
  }

  /** Whether a kubelet reports, from this machine as far as Ironic knows that. */
  boolean reportsFrom(IronicNode node) {
    String known = node.extra().getOrDefault("system_uuid", "");
    return !bootId.isEmpty() && (known.isEmpty() || known.equalsIgnoreCase(systemUuid));
  }
}
