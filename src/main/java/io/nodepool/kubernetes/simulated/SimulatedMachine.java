package io.nodepool.kubernetes.simulated;

import io.nodepool.control.state.PodEndings;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.kubernetes.simulated.node.PodStart;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.DataCentre;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one machine: its place in the data centre, its Host, its Node and the Pods bound
 * to that. Lives on the data centre's thread.
 */
final class SimulatedMachine {
  /**
   * A Node of the machine's name, whoever made it.
   *
   * @param silent whether the cluster says that its kubelet has fallen silent
   */
  record SeenNode(String uid, long version, String hostUid, String tenancy, boolean silent) {}

  /** When the Lease of a Node was renewed last. */
  record Renewal(String nodeUid, Instant at) {}

  /**
   * A Pod bound to the Node.
   *
   * @param start what its start shows; absent once it runs
   */
  record SeenPod(Pod pod, Optional<PodStart> start) {}

  final String name;

  /** The place that the data centre's description gives it; absent once that has none. */
  DataCentre.@Nullable Slot slot;

  /** Its Host, as last seen. */
  @Nullable Host host;

  /** The version of its Host that cannot be read; 0 while it can. */
  long unreadable;

  /** Whether the Host's status is still to be written for the first time. */
  boolean unreported;

  @Nullable SeenNode node;

  /** What the API server answered to its Node, where it did not allow it; empty text otherwise. */
  String joinRefusal = "";

  /** The last renewal by this process. */
  @Nullable Renewal renewal;

  /** By UID. */
  final Map<String, SeenPod> pods = new HashMap<>();

  /** When the graces of these Pods end. */
  final PodEndings endings = new PodEndings();

  /**
   * UIDs of Hosts and Nodes whose end was seen while an answer was awaited, which may show them
   * once more.
   */
  final Set<String> ended = new HashSet<>();

  SimulatedMachine(String name) {
    this.name = name;
  }

  boolean isUnused() {
    return slot == null && host == null && unreadable == 0 && node == null && pods.isEmpty();
  }

  /** Whether the Host may be given to a pool now. */
  boolean isFree() {
    return host != null && !unreported && host.isFree();
  }

  /** Whether the machine runs as the Node that is there, so that its kubelet acts on Pods. */
  boolean isServing() {
    return host != null
        && node != null
        && host.is(HostPhase.RUNNING)
        && node.hostUid().equals(host.id().uid())
        && node.tenancy().equals(Integer.toString(host.tenancy()));
  }

  /**
   * Whether the Host is not the machine that stands in its place: it has none, or another kind of
   * machine stands there now.
   */
  boolean isSurplus() {
    return host != null && (slot == null || !slot.machine().equals(host.machine()));
  }
}
