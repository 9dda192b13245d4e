package io.nodepool.control.state;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.model.node.Node;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The machines by name, and which of them must be counted again. Confined to the decision thread.
 */
final class MachineTable {
  private final Map<String, MachineEntry> entries = new HashMap<>();

  /** The machines that changed since they were last counted. */
  private final LinkedHashSet<MachineEntry> changed = new LinkedHashSet<>();

  private final Wakeups wakeups;

  MachineTable(Wakeups wakeups) {
    this.wakeups = wakeups;
  }

  /** The machine of this name. */
  @Nullable MachineEntry find(String name) {
    return entries.get(name);
  }

  /** The machine of this name, created if absent. */
  MachineEntry make(String name) {
    return entries.computeIfAbsent(name, MachineEntry::new);
  }

  Stream<MachineEntry> stream() {
    return entries.values().stream();
  }

  int size() {
    return entries.size();
  }

  void dropIfUnused(MachineEntry machine) {
    if (machine.isUnused()) {
      entries.remove(machine.name);
    }
  }

  /** Records that a machine must be counted again. */
  void changed(MachineEntry machine) {
    changed.add(machine);
  }

  /** Records that the machine of this name must be counted and planned again, if it is known. */
  void replan(String name) {
    MachineEntry machine = entries.get(name);
    if (machine != null) {
      changed(machine);
      wakeups.machine(name);
    }
  }

  /** Whether machines changed since they were last counted. */
  boolean isBehind() {
    return !changed.isEmpty();
  }

  /** Removes and returns the machine that waits the longest to be counted. */
  MachineEntry nextChanged() {
    return changed.removeFirst();
  }

  /** Wakes the loops of all machines. */
  void wakeAll() {
    entries.keySet().stream().sorted().forEach(wakeups::machine);
  }

  private Optional<Host> host(String name) {
    return Optional.ofNullable(entries.get(name)).flatMap(each -> Optional.ofNullable(each.host));
  }

  private Optional<Node> node(String name) {
    return Optional.ofNullable(entries.get(name)).flatMap(each -> Optional.ofNullable(each.node));
  }

  /** Whether a Host of this name was observed. */
  boolean hasHost(String name) {
    return host(name).isPresent();
  }

  boolean knows(HostId host) {
    return host(host.name()).map(Host::id).filter(host::equals).isPresent();
  }

  boolean knowsNode(String name, String uid) {
    return node(name).filter(node -> node.uid().equals(uid)).isPresent();
  }

  /** Whether the machine of this name is kept for inspection. */
  boolean isPreserved(String name) {
    return host(name).flatMap(Host::preserved).isPresent();
  }

  /** Whether a Node was observed that names the Host. */
  boolean names(HostId host) {
    return node(host.name()).filter(node -> node.hostUid().equals(host.uid())).isPresent();
  }

  /** The UID of the pool that holds the Host of this name, or the empty string. */
  String holder(String hostName) {
    return host(hostName)
        .flatMap(Host::assignment)
        .map(assignment -> assignment.pool().uid())
        .orElse("");
  }
}
