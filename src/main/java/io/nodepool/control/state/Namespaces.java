package io.nodepool.control.state;

import io.nodepool.control.state.machine.CountsByKey;
import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.ControlPlaneNamespaces;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
  private final Map<String, Entry> entries = new HashMap<>();

  /** Creates an empty table. */
  public Namespaces(ControlPlaneNamespaces controlPlane) {
    this.controlPlane = controlPlane;
  }

  /** The Namespace of this name, as last observed. */
  public Optional<Namespace> find(String name) {
    return Optional.ofNullable(entries.get(name)).flatMap(entry -> seen(entry));
  }

  private static Optional<Namespace> seen(Entry entry) {
    return Optional.ofNullable(entry.namespace);
  }

  /** The names of all observed Namespaces. */
  Set<String> names() {
    return entries.keySet();
  }

  /** Whether Pods of the Namespace of this name belong to the control plane. */
  boolean areControlPlane(String name) {
    return controlPlane.include(name, find(name), author(name));
  }

  /**
   * Whether they may belong to the control plane, by present observations. A pool's choice of
   * Nodes, which can be undone, uses this; a machine waits until it is certain.
   */
  boolean mayBeControlPlane(String name) {
    return areControlPlane(name) || isOpen(name);
  }

  /** Whether that depends on the author of its label, which is being looked up. */
  boolean isOpen(String name) {
    return find(name).filter(seen -> controlPlane.isOpen(seen, author(name))).isPresent();
  }

  /** The author of the label of the Namespace of this name. */
  public LabelAuthor author(String name) {
    return Optional.ofNullable(entries.get(name))
        .map(entry -> entry.author)
        .orElse(LabelAuthor.UNKNOWN);
  }

  /**
   * Records the author of a Namespace's label, if the Namespace is still as it was when it was
   * looked up.
   */
  void authored(Namespace seen, LabelAuthor author, Set<ReconcileKey> keys) {
    Entry entry = entries.get(seen.name());
    if (entry != null && seen.equals(entry.namespace)) {
      change(seen.name(), entry, () -> entry.author = author, keys);
    }
  }

  /** Records a Namespace, or that none of this name exists any more. */
  void put(String name, Optional<Namespace> namespace, Set<ReconcileKey> keys) {
    Entry entry = entries.computeIfAbsent(name, key -> new Entry());
    change(
        name,
        entry,
        () -> {
          if (!isAuthorKept(entry, namespace)) {
            entry.author = LabelAuthor.UNKNOWN;
          }
          entry.namespace = namespace.orElse(null);
        },
        keys);
    dropIfUnused(name, entry);
  }

  /**
   * Whether the label's author is kept: another client's is, while UID and label stay. A label of
   * the operator may have been rewritten by another client.
   */
  private static boolean isAuthorKept(Entry entry, Optional<Namespace> next) {
    return entry.author == LabelAuthor.OTHERS
        && seen(entry).map(Namespace::uid).equals(next.map(Namespace::uid))
        && seen(entry)
            .flatMap(Namespace::organization)
            .equals(next.flatMap(Namespace::organization));
  }

  private void change(String name, Entry entry, Runnable change, Set<ReconcileKey> keys) {
    boolean before = areControlPlane(name);
    boolean wasOpen = isOpen(name);
    change.run();
    keys.add(new ReconcileKey.OfNamespace(name));
    if (areControlPlane(name) != before || isOpen(name) != wasOpen) {
      entry.pods.keySet().forEach(machine -> keys.add(new ReconcileKey.OfMachine(machine)));
    }
  }

  /** Adds a Pod to its machine's count. */
  void arrived(Pod pod) {
    Entry entry = entries.computeIfAbsent(pod.namespace(), key -> new Entry());
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
