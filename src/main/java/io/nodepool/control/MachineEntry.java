package io.nodepool.control;

import io.nodepool.fleet.Host;
import io.nodepool.model.Node;
import io.nodepool.model.Pod;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one machine: its Host, its Node and the Pods bound to it. Lives on the decision
 * thread.
 */
final class MachineEntry {
  final String name;
  @Nullable Host host;
  @Nullable Node node;

  /** Pods bound to the Node of this name, by UID. */
  final TreeMap<String, Pod> pods = new TreeMap<>();

  /** Whether an operation on the Host is under way. */
  boolean underWay;

  MachineEntry(String name) {
    this.name = name;
  }

  boolean isUnused() {
    return host == null && node == null && pods.isEmpty() && !underWay;
  }
}
