package io.nodepool.simulated.cluster;

import io.nodepool.control.state.machine.PodEndings;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.FleetAction;
import io.nodepool.simulated.JoinedNode;
import io.nodepool.simulated.PodRun;
import io.nodepool.simulated.cluster.node.PodReport;
import io.nodepool.simulated.cluster.node.PodStart;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The observed state of one machine: its slot in the data centre, its Host, its Node and the Pods
 * bound to the Node. Confined to the data centre's thread.
 */
final class SimulatedMachine {
  /**
   * A Node with the machine's name, created by any client.
   *
   * @param kubelet what its kubelet last reported
   */
  record SeenNode(String uid, long version, String hostUid, String tenancy, Kubelet kubelet) {}

  /**
   * A Node's kubelet, as the Node's status shows it.
   *
   * @param silent whether the cluster marked the Node as not reporting
   */
  record Kubelet(boolean ready, boolean silent, String bootId) {}

  /** The last renewal of a Node's Lease. */
  record Renewal(String nodeUid, Instant at) {}

  /**
   * A Pod bound to the Node.
   *
   * @param start its containers; absent once it runs, until they end
   * @param run how its containers end; empty if it does not run, or until it is deleted
   */
  record SeenPod(Pod pod, Optional<PodStart> start, Optional<PodRun> run) {
    /** This entry with another state of the Pod. */
    SeenPod withPod(Pod next) {
      return new SeenPod(next, start, run);
    }
  }

  final String name;

  /** Its slot in the data centre; absent if the description no longer has one for it. */
  DataCentre.@Nullable Slot slot;

  /** Its Host, as last observed. */
  @Nullable Host host;

  /** The version of its Host if that cannot be read; otherwise 0. */
  long unreadable;

  /** Whether the Host has no status yet. */
  boolean unreported;

  /** The value of its Host's annotation that requests a notice; empty if there is none. */
  Optional<String> reclaimRequest = Optional.empty();

  /** The value of its Host's annotation that lets it reboot by itself; empty if there is none. */
  Optional<String> bootToLeave = Optional.empty();

  @Nullable SeenNode node;

  /** The labels of that Node; absent once they were compared with the machine's labels. */
  @Nullable Map<String, String> labels;

  /** Whether that Node lacked a label of the machine when they were compared. */
  private boolean relabelled;

  /** The API server's refusal to create its Node; empty text if there is none. */
  String joinRefusal = "";

  /** The last renewal by this process. */
  @Nullable Renewal renewal;

  /** By UID. */
  final Map<String, SeenPod> pods = new HashMap<>();

  /** When the grace periods of these Pods end. */
  final PodEndings endings = new PodEndings();

  /**
   * UIDs of Hosts and Nodes whose deletion was observed while an answer was pending, which may
   * still show them.
   */
  final Set<String> ended = new HashSet<>();

  SimulatedMachine(String name) {
    this.name = name;
  }

  boolean isUnused() {
    return slot == null && host == null && unreadable == 0 && node == null && pods.isEmpty();
  }

  /** Whether the Host may be assigned now. */
  boolean isFree() {
    return host != null && !unreported && host.isFree();
  }

  /**
   * Whether the machine runs as the existing Node, so that its kubelet acts on Pods. A kubelet that
   * starts reports its boot first. If a client deletes the Host, nothing stops.
   */
  boolean isServing() {
    if (node == null) {
      return false;
    }
    if (host == null || !node.hostUid().equals(host.id().uid())) {
      return slot != null && !node.hostUid().isEmpty();
    }
    return host.is(HostPhase.RUNNING)
        && isCurrent(node, host)
        && host.report().boot().cycle().isEmpty()
        && node.kubelet().bootId().equals(host.report().bootId());
  }

  /** Whether its Node lacks labels, or they must still be compared. */
  boolean mayBeRelabelled() {
    return relabelled || labels != null;
  }

  /**
   * Compares the Node's labels, if it was observed since. Returns whether it lacks one of these, or
   * has it with another value, since a client changed it.
   */
  boolean compareLabels(Map<String, String> own) {
    if (labels != null) {
      relabelled = !labels.entrySet().containsAll(own.entrySet());
      labels = null;
    }
    return relabelled;
  }

  /** The Node of the machine's name. */
  Optional<JoinedNode> joined() {
    return host == null || node == null
        ? Optional.empty()
        : Optional.of(
            new JoinedNode(
                node.uid(),
                isCurrent(node, host),
                node.kubelet().ready(),
                node.kubelet().bootId()));
  }

  private static boolean isCurrent(SeenNode node, Host host) {
    return node.hostUid().equals(host.id().uid())
        && node.tenancy().equals(Integer.toString(host.tenancy()));
  }

  /** Whether the Host is surplus: it has no slot, or its slot has another kind of machine now. */
  boolean isSurplus() {
    return host != null && (slot == null || !slot.machine().equals(host.machine()));
  }

  /** The refusal of the Node to report; empty text once the Node exists or is no longer wanted. */
  String refusal() {
    return node == null && host != null && host.is(HostPhase.RUNNING) ? joinRefusal : "";
  }

  /** What its kubelet can report of a Pod; empty if the Pod is not on the machine. */
  Optional<PodReport> kubelet(FleetAction.PodId pod) {
    return Optional.ofNullable(pods.get(pod.uid()))
        .flatMap(SeenPod::start)
        .map(start -> new PodReport(start, pod));
  }
}
