package io.nodepool.simulated.cluster;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The heartbeats of simulated kubelets. Each renews the Lease of its Node every 20 s, half as often
 * as real kubelets do, and twice as often as the cluster requires. After a pause in which the
 * cluster marked a Node as not reporting, its kubelet reports the Node Ready again. Pure.
 */
record Heartbeats(FleetRequests requests) {
  /** Time between two renewals: 1,000 Nodes make 50 requests a second. */
  static final Duration EVERY = Duration.ofSeconds(20);

  /** The lease duration, as real kubelets set it. */
  static final Duration VALID = Duration.ofSeconds(40);

  /**
   * The next heartbeat.
   *
   * @param request the request to send now, if any
   * @param wakeup when to run again if nothing is sent
   */
  record Beat(Optional<ApiRequest> request, Instant wakeup) {}

  /**
   * The next heartbeat of a machine's kubelet; empty while the machine does not run as its Node.
   */
  Optional<Beat> next(SimulatedMachine machine, Instant now) {
    SimulatedMachine.SeenNode node = machine.node;
    if (node == null || !machine.isServing()) {
      return Optional.empty();
    }
    Instant due = due(machine, node, now);
    if (!now.isBefore(due)) {
      return Optional.of(new Beat(Optional.of(requests.renew(machine.name, node.uid(), now)), due));
    }
    return Optional.of(
        new Beat(
            node.kubelet().silent()
                ? Optional.of(requests.reportReady(machine.name, node.uid(), now))
                : Optional.empty(),
            due));
  }

  private static Instant due(
      SimulatedMachine machine, SimulatedMachine.SeenNode node, Instant now) {
    SimulatedMachine.Renewal last = machine.renewal;
    return last != null && last.nodeUid().equals(node.uid()) ? last.at().plus(EVERY) : now;
  }

  /**
   * Records that the Lease was renewed. The first renewal of a Node is backdated by up to half an
   * interval, so that Nodes that start at the same time do not renew at the same time.
   */
  static void renewed(SimulatedMachine machine, Instant now) {
    SimulatedMachine.SeenNode node = machine.node;
    if (node == null) {
      return;
    }
    SimulatedMachine.Renewal last = machine.renewal;
    boolean first = last == null || !last.nodeUid().equals(node.uid());
    long offset = first ? Math.floorMod(machine.name.hashCode(), EVERY.toMillis() / 2) : 0;
    machine.renewal = new SimulatedMachine.Renewal(node.uid(), now.minusMillis(offset));
  }
}
