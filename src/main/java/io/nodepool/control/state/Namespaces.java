package io.nodepool.control.state;

import io.nodepool.control.ReconcileKey;
import io.nodepool.model.LabelAuthor;
import io.nodepool.model.Namespace;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.ControlPlaneNamespaces;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The Namespaces, and which machines have Pods of each, so that a change reaches these machines and
 * no others. Lives on the decision thread.
 */
public final class Namespaces {
  private static final class Entry {
    /** The Namespace as last seen; null while only Pods of it were seen. */
    @Nullable Namespace namespace;

    /** Who put the label that the Namespace has now. */
    LabelAuthor author = LabelAuthor.UNKNOWN;

    /** How many Pods of it each machine has. */
    final TreeMap<String, Integer> pods = new TreeMap<>();
  }

  private final ControlPlaneNamespaces controlPlane;
  private final Map<String, Entry> entries = new HashMap<>();
  private long classified;

  /** Without a Namespace. */
  public Namespaces(ControlPlaneNamespaces controlPlane) {
    this.controlPlane = controlPlane;
  }

  /** The Namespace of this name, as last seen. */
  public Optional<Namespace> find(String name) {
    return Optional.ofNullable(entries.get(name)).flatMap(entry -> seen(entry));
  }

  private static Optional<Namespace> seen(Entry entry) {
    return Optional.ofNullable(entry.namespace);
  }

  /** Names of all that were seen. */
  Set<String> names() {
    return entries.keySet();
  }

  /** Whether Pods of the Namespace of this name are the control plane's. */
  boolean areControlPlane(String name) {
    return controlPlane.include(name, find(name), author(name));
  }

  /**
   * Whether they may be, as far as is known. A pool chooses Nodes by this, which can be taken back;
   * a machine waits until it is certain.
   */
  boolean mayBeControlPlane(String name) {
    return areControlPlane(name) || isOpen(name);
  }

  /** Whether that depends on who put its label, which is being looked up. */
  boolean isOpen(String name) {
    return find(name).filter(seen -> controlPlane.isOpen(seen, author(name))).isPresent();
  }

  /** Who put the label of the Namespace of this name. */
  public LabelAuthor author(String name) {
    return Optional.ofNullable(entries.get(name))
        .map(entry -> entry.author)
        .orElse(LabelAuthor.UNKNOWN);
  }

  /** Takes in who put the label of a Namespace, if it is still the one that was looked at. */
  void authored(Namespace seen, LabelAuthor author, Set<ReconcileKey> keys) {
    Entry entry = entries.get(seen.name());
    if (entry != null && seen.equals(entry.namespace)) {
      change(seen.name(), entry, () -> entry.author = author, keys);
    }
  }

  /** Takes in a Namespace, or that there is none of this name any more. */
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

  /** A label of others stays theirs while it says the same; whether one is ours may change. */
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
      classified++;
      entry.pods.keySet().forEach(machine -> keys.add(new ReconcileKey.OfMachine(machine)));
    }
  }

  /** How often a Namespace became another one's. */
  long classified() {
    return classified;
  }

  /** A Pod is on a machine from now on. */
  void arrived(Pod pod) {
    entries
        .computeIfAbsent(pod.namespace(), key -> new Entry())
        .pods
        .merge(pod.nodeName(), 1, Integer::sum);
  }

  /** A Pod is no longer on a machine. */
  void left(Pod pod) {
    Entry entry = entries.get(pod.namespace());
    if (entry != null) {
      entry.pods.computeIfPresent(
          pod.nodeName(), (machine, count) -> count == 1 ? null : count - 1);
      dropIfUnused(pod.namespace(), entry);
    }
  }

  private void dropIfUnused(String name, Entry entry) {
    if (entry.namespace == null && entry.pods.isEmpty()) {
      entries.remove(name);
    }
  }
}
