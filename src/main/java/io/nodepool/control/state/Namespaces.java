package io.nodepool.control.state;

import io.nodepool.control.state.machine.CountsByKey;
import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.ControlPlaneNamespaces;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The Namespaces, and the machines with Pods of each, so that a change wakes only these machines.
 * Confined to the decision thread.
 */
public final class Namespaces {
  private static final class Entry {
    /** The Namespace as last observed; null while only its Pods were observed. */
    @Nullable Namespace namespace;

    /** The author of the label that the Namespace has now. */
    LabelAuthor author = LabelAuthor.UNKNOWN;

    /** The number of its Pods, by machine. */
    final TreeMap<String, Integer> pods = new TreeMap<>();
  }

  private final ControlPlaneNamespaces controlPlane;
  private final MachineTable machines;
  private final Freshness freshness;
  private final Wakeups wakeups;
  private final Map<String, Entry> entries = new HashMap<>();

  Namespaces(
      ControlPlaneNamespaces controlPlane,
      MachineTable machines,
      Freshness freshness,
      Wakeups wakeups) {
    this.controlPlane = controlPlane;
    this.machines = machines;
    this.freshness = freshness;
    this.wakeups = wakeups;
  }

  /** The Namespace of this name, as last observed. */
  public Optional<Namespace> find(String name) {
    return Optional.ofNullable(entries.get(name))
        .flatMap(entry -> Optional.ofNullable(entry.namespace));
  }

  /** Whether the Namespace with this name and UID was observed. */
  boolean knows(String name, String uid) {
    return find(name).filter(seen -> seen.uid().equals(uid)).isPresent();
  }

  /** Wakes the loops of all Namespaces, also of those with observed Pods only. */
  void wakeAll() {
    entries.keySet().stream().sorted().forEach(wakeups::namespace);
  }

  /** Whether Pods of the Namespace of this name belong to the control plane. */
  boolean areControlPlane(String name) {
    return controlPlane.include(name, find(name), author(name));
  }

  /**
   * Whether Pods of the Namespace may belong to the control plane, by present observations. A
   * pool's choice of Nodes, which can be undone, uses this; a machine waits until it is certain.
   */
  boolean mayBeControlPlane(String name) {
    return areControlPlane(name) || isOpen(name);
  }

  /** Whether this depends on the author of the Namespace's label, which is being looked up. */
  boolean isOpen(String name) {
    return find(name).filter(seen -> controlPlane.isOpen(seen, author(name))).isPresent();
  }

  /** The author of the label of the Namespace of this name. */
  public LabelAuthor author(String name) {
    return Optional.ofNullable(entries.get(name))
        .map(entry -> entry.author)
        .orElse(LabelAuthor.UNKNOWN);
  }

  /** Folds a state of a Namespace. */
  void seen(Namespace namespace) {
    if (freshness.isNews(
        namespace.uid(),
        namespace.version(),
        find(namespace.name()).orElse(null),
        Namespace::version)) {
      put(namespace.name(), Optional.of(namespace));
    }
  }

  /**
   * Folds a state of a Namespace, and the author of its label, if the Namespace has not changed
   * since the author was looked up.
   */
  void authored(Namespace seen, LabelAuthor author) {
    seen(seen);
    Entry entry = entries.get(seen.name());
    if (entry != null && seen.equals(entry.namespace)) {
      change(seen.name(), entry, () -> entry.author = author);
    }
  }

  /** Folds that a Namespace no longer exists. */
  void gone(String name, String uid, ClusterState.Source source) {
    freshness.gone(uid, source);
    if (knows(name, uid)) {
      put(name, Optional.empty());
    }
  }

  private void put(String name, Optional<Namespace> next) {
    Entry entry = entries.computeIfAbsent(name, _ -> new Entry());
    change(
        name,
        entry,
        () -> {
          if (!isAuthorKept(entry, next)) {
            entry.author = LabelAuthor.UNKNOWN;
          }
          entry.namespace = next.orElse(null);
        });
    dropIfUnused(name, entry);
  }

  /**
   * Whether the label's author is kept: another client stays the author while UID and label stay. A
   * label of the operator may have been rewritten by another client.
   */
  private static boolean isAuthorKept(Entry entry, Optional<Namespace> next) {
    Optional<Namespace> last = Optional.ofNullable(entry.namespace);
    return entry.author == LabelAuthor.OTHERS
        && last.map(Namespace::uid).equals(next.map(Namespace::uid))
        && last.flatMap(Namespace::organization).equals(next.flatMap(Namespace::organization));
  }

  /** A new owner changes whether the Pods of a Namespace count as user work on their machines. */
  private void change(String name, Entry entry, Runnable change) {
    boolean before = areControlPlane(name);
    boolean wasOpen = isOpen(name);
    change.run();
    wakeups.namespace(name);
    if (areControlPlane(name) != before || isOpen(name) != wasOpen) {
      entry.pods.keySet().forEach(machines::replan);
    }
  }

  /** Adds a Pod to its machine's count. */
  void arrived(Pod pod) {
    Entry entry = entries.computeIfAbsent(pod.namespace(), _ -> new Entry());
    CountsByKey.add(entry.pods, pod.nodeName(), 1);
  }

  /** Removes a Pod from its machine's count. */
  void left(Pod pod) {
    Entry entry = entries.get(pod.namespace());
    if (entry != null) {
      CountsByKey.add(entry.pods, pod.nodeName(), -1);
      dropIfUnused(pod.namespace(), entry);
    }
  }

  private void dropIfUnused(String name, Entry entry) {
    if (entry.namespace == null && entry.pods.isEmpty()) {
      entries.remove(name);
    }
  }
}
