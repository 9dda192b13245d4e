package io.nodepool.control.state;

import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.node.Pod;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The Pods that are bound to Nodes, and their Namespaces. Confined to the decision thread. */
final class PodTable {
  /** Name of the Node that each Pod is bound to, by UID. */
  private final Map<String, String> nodes = new HashMap<>();

  private final MachineTable machines;
  private final Namespaces namespaces;
  private final Freshness freshness;
  private final InstantSource clock;

  /**
   * @param clock the operator's only clock, which does not jump
   */
  PodTable(MachineTable machines, Namespaces namespaces, Freshness freshness, InstantSource clock) {
    this.machines = machines;
    this.namespaces = namespaces;
    this.freshness = freshness;
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
  void seen(Pod pod, boolean watching, Set<ReconcileKey> keys) {
    String lastNode = nodes.get(pod.uid());
    Pod last = lastNode == null ? null : machines.make(lastNode).pod(pod.uid());
    if (!freshness.isNews(
        pod.uid(), pod.version(), last == null ? Freshness.NEVER : last.version())) {
      return;
    }
    if (last != null) {
      namespaces.left(last);
    }
    namespaces.arrived(pod);
    MachineEntry machine = machines.make(pod.nodeName());
    machine.put(machine.endings.local(pod, watching, clock.instant()));
    nodes.put(pod.uid(), pod.nodeName());
    machines.changed(machine);
    keys.add(new ReconcileKey.OfMachine(pod.nodeName()));
  }

  /** Folds that a Pod no longer exists. */
  void gone(String nodeName, String uid, ClusterState.Source source, Set<ReconcileKey> keys) {
    freshness.gone(uid, source);
    nodes.remove(uid);
    MachineEntry machine = machines.find(nodeName);
    Pod last = machine == null ? null : machine.ended(uid);
    if (machine != null && last != null) {
      namespaces.left(last);
      machines.changed(machine);
      keys.add(new ReconcileKey.OfMachine(nodeName));
      machines.dropIfUnused(machine);
    }
  }

  /** Records the result of a live list of a Node's Pods. */
  void listed(
      String node,
      String uid,
      long version,
      List<Pod> pods,
      boolean watching,
      Set<ReconcileKey> keys) {
    MachineEntry machine = machines.find(node);
    if (machine == null) {
      return;
    }
    Instant now = clock.instant();
    List<Pod> local = pods.stream().map(pod -> machine.endings.local(pod, watching, now)).toList();
    if (machine.reads.listed(machine.node, uid, version, local, now)) {
      keys.add(new ReconcileKey.OfMachine(node));
    }
  }

  /** Records the result of an attempt to evict or delete a Pod. */
  void tried(String node, String pod, Optional<String> blockedBy, Set<ReconcileKey> keys) {
    MachineEntry machine = machines.find(node);
    if (machine != null) {
      machine.reads.tried(pod, blockedBy, clock.instant());
      keys.add(new ReconcileKey.OfMachine(node));
    }
  }

  /** Folds a state of a Namespace. */
  void seen(Namespace namespace, Set<ReconcileKey> keys) {
    Optional<Namespace> last = namespaces.find(namespace.name());
    if (freshness.isNews(
        namespace.uid(),
        namespace.version(),
        last.map(Namespace::version).orElse(Freshness.NEVER))) {
      namespaces.put(namespace.name(), Optional.of(namespace), keys);
      reclassified(keys);
    }
  }

  /** Folds a state of a Namespace, and the author of its label. */
  void authored(Namespace namespace, LabelAuthor author, Set<ReconcileKey> keys) {
    seen(namespace, keys);
    namespaces.authored(namespace, author, keys);
    reclassified(keys);
  }

  /** Folds that a Namespace no longer exists. */
  void namespaceGone(String name, String uid, ClusterState.Source source, Set<ReconcileKey> keys) {
    freshness.gone(uid, source);
    if (knowsNamespace(name, uid)) {
      namespaces.put(name, Optional.empty(), keys);
      reclassified(keys);
    }
  }

  /** A new owner changes whether the Pods of a Namespace count as user work on their machines. */
  private void reclassified(Set<ReconcileKey> keys) {
    for (ReconcileKey key : keys) {
      if (key instanceof ReconcileKey.OfMachine(String name)) {
        Optional.ofNullable(machines.find(name)).ifPresent(machines::changed);
      }
    }
  }

  /** Whether the Namespace with this name and UID was observed. */
  boolean knowsNamespace(String name, String uid) {
    return namespaces.find(name).filter(seen -> seen.uid().equals(uid)).isPresent();
  }
}
