package io.nodepool.simulated;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;

/** A write of a simulated machine or its kubelet: at most one, on one object. */
public sealed interface FleetAction {
  /**
   * Writes the status of a Host. Refused unless tenancy and holder are still those that the
   * decision was based on: so the end of a boot and a cancellation conflict on one object, and only
   * one of them wins.
   *
   * @param seen the Host that the decision was based on
   */
  record ReportHost(Host seen, Host.Report report) implements FleetAction {
    /** The Host. */
    public HostId host() {
      return seen.id();
    }
  }

  /** Creates the complete Node of a running Host; refused if a Node of that name exists. */
  record JoinNode(Host host) implements FleetAction {}

  /** Reports that a Pod runs. */
  record StartPod(String namespace, String name, String uid) implements FleetAction {}

  /** Removes a Pod whose grace period is over. */
  record EndPod(String namespace, String name, String uid) implements FleetAction {}
}
