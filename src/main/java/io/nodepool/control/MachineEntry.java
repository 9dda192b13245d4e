package io.nodepool.control;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
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

  /** The operation on the Host that is under way. */
  @Nullable HostOperation underWay;

  MachineEntry(String name) {
    this.name = name;
  }

  boolean isUnused() {
    return host == null && node == null && pods.isEmpty() && underWay == null;
  }
}
