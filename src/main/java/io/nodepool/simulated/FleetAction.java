package io.nodepool.simulated;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;

/** What a simulated machine or its kubelet does to the cluster: at most one write on one object. */
public sealed interface FleetAction {
  /**
   * Writes the fleet's half of a Host. Refused unless tenancy and holder are still those it was
   * decided on: with it, the end of a boot and a cancellation meet on one object and only one of
   * them wins.
   *
   * @param seen the Host that this was decided on
   */
  record ReportHost(Host seen, Host.Report report) implements FleetAction {
    /** The Host. */
    public HostId host() {
      return seen.id();
    }
  }

  /** Creates the Node of a running Host, complete; refused if a Node of that name exists. */
  record JoinNode(Host host) implements FleetAction {}

  /** Says that a Pod runs. */
  record StartPod(String namespace, String name, String uid) implements FleetAction {}

  /** Removes a Pod whose grace is over. */
  record EndPod(String namespace, String name, String uid) implements FleetAction {}
}
