package io.nodepool.control.state;

import io.nodepool.model.Observation;
import io.nodepool.model.node.Pod;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The Pods that are bound to Nodes. Confined to the decision thread. */
final class PodTable {
  /** Name of the Node that each Pod is bound to, by UID. */
  private final Map<String, String> nodes = new HashMap<>();

  private final MachineTable machines;
  private final Namespaces namespaces;
  private final Freshness freshness;
  private final Wakeups wakeups;
  private final InstantSource clock;

  /**
   * @param clock the operator's only clock, which does not jump
   */
  PodTable(
      MachineTable machines,
      Namespaces namespaces,
      Freshness freshness,
      Wakeups wakeups,
      InstantSource clock) {
    this.machines = machines;
    this.namespaces = namespaces;
    this.freshness = freshness;
    this.wakeups = wakeups;
    this.clock = clock;
  }

  boolean knows(String uid) {
    return nodes.containsKey(uid);
  }

  int size() {
    return nodes.size();
  }

  /**
   * Folds a state of a Pod.
   *
   * @param watching whether everything was listed before
   */
  void seen(Pod pod, boolean watching) {
    String lastNode = nodes.get(pod.uid());
    Pod last = lastNode == null ? null : machines.make(lastNode).pod(pod.uid());
    if (!freshness.isNews(pod.uid(), pod.version(), last, Pod::version)) {
      return;
    }
    if (last != null) {
      namespaces.left(last);
    }
    namespaces.arrived(pod);
    MachineEntry machine = machines.make(pod.nodeName());
    machine.put(machine.endings.local(pod, watching, clock.instant()));
    nodes.put(pod.uid(), pod.nodeName());
    machines.replan(machine.name);
  }

  /** Folds that a Pod no longer exists. */
  void gone(String nodeName, String uid, ClusterState.Source source) {
    freshness.gone(uid, source);
    nodes.remove(uid);
    MachineEntry machine = machines.find(nodeName);
    Pod last = machine == null ? null : machine.ended(uid);
    if (machine != null && last != null) {
      namespaces.left(last);
      machines.replan(nodeName);
      machines.dropIfUnused(machine);
    }
  }

  /** Records the result of a live list of a Node's Pods. */
  void listed(Observation.PodsListed found, boolean watching) {
    MachineEntry machine = machines.find(found.nodeName());
    if (machine == null) {
      return;
    }
    Instant now = clock.instant();
    List<Pod> local =
        found.pods().stream().map(pod -> machine.endings.local(pod, watching, now)).toList();
    if (machine.reads.listed(machine.node, found.nodeUid(), found.nodeVersion(), local, now)) {
      wakeups.machine(machine.name);
    }
  }
}
