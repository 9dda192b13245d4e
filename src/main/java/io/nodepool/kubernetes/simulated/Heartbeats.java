package io.nodepool.kubernetes.simulated;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * How the simulated kubelets show a cluster that they are alive: each renews the Lease of its Node
 * every 20 s, half as often as kubelets do, and half as often as the cluster allows for. After a
 * pause in which the cluster gave a Node up, its kubelet reports the Node Ready again. Pure.
 */
record Heartbeats(FleetRequests requests) {
  /** Time between two renewals: 1,000 Nodes make 50 requests a second. */
  static final Duration EVERY = Duration.ofSeconds(20);

  /** How long a Lease says that it is valid, as those of kubelets do. */
  static final Duration VALID = Duration.ofSeconds(40);

  /**
   * What comes next.
   *
   * @param request what to send now, if anything
   * @param wakeup when to look again if nothing is sent
   */
  record Beat(Optional<ApiRequest> request, Instant wakeup) {}

  /** What the kubelet of a machine does now; empty while the machine does not run as its Node. */
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
            node.silent()
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
   * Notes that the Lease was renewed. The first renewal of a Node counts as up to half a period
   * older than it is: Nodes that begin at the same moment then do not beat at the same moment.
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
