package io.nodepool.simulated;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import java.time.Instant;
import java.util.Optional;

/** A write of a simulated machine or its kubelet: at most one, on one object. */
public sealed interface FleetAction {
  /**
   * Writes the status of a Host. Refused if the tenancy, holder or boot changed since the decision.
   * So the end of a boot and a cancellation conflict on one object, and only one of them wins; and
   * the same reboot never begins twice.
   *
   * @param seen the Host that the decision was based on
   */
  record ReportHost(Host seen, Host.Report report) implements FleetAction {
    /** The Host. */
    public HostId host() {
      return seen.id();
    }

    /** Whether the facts that the decision was based on still hold. */
    public boolean isTimely(Host live) {
      return live.tenancy() == seen.tenancy()
          && holder(live).equals(holder(seen))
          && live.power() == seen.power()
          && live.report().bootId().equals(seen.report().bootId())
          && live.report().boot().cycles() == seen.report().boot().cycles()
          && (report.boot().equals(seen.report().boot())
              || requested(live).equals(requested(seen)));
    }

    private static Optional<String> holder(Host host) {
      return host.assignment().map(assignment -> assignment.pool().uid());
    }

    private static Optional<BootRequest> requested(Host host) {
      return host.boot().map(request -> request.withAt(Instant.EPOCH));
    }
  }

  /**
   * Reports the Node with this UID Ready or not, with the boot id of its machine and what it
   * booted: not Ready while the machine reboots, Ready with another boot afterwards.
   */
  record ReportReadiness(Host host, String nodeUid, boolean ready) implements FleetAction {}

  /** Creates the complete Node of a running Host; refused if a Node of that name exists. */
  record JoinNode(Host host) implements FleetAction {}

  /** The identity of a Pod. */
  record PodId(String namespace, String name, String uid) {}

  /** Reports that a Pod runs. */
  record StartPod(PodId pod) implements FleetAction {}

  /** Reports what became of the containers of a Pod. */
  record ReportRun(PodId pod, PodRun.Report report) implements FleetAction {}

  /** Removes the object of a deleted Pod whose end was reported. */
  record EndPod(PodId pod) implements FleetAction {}
}
