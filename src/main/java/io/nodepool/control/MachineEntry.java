package io.nodepool.control;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Member;
import io.nodepool.model.Node;
import io.nodepool.model.Pod;
import java.util.Optional;
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

  /** The pool for which it takes up a place in its rack; empty text while it is free. */
  String rackHolder = "";

  /** The operation on the Host that is under way. */
  @Nullable HostOperation underWay;

  MachineEntry(String name) {
    this.name = name;
  }

  boolean isUnused() {
    return host == null && node == null && pods.isEmpty() && underWay == null;
  }

  /** Its Host as a member of the pool that holds it. */
  Optional<Member> member() {
    Host seen = host;
    return seen == null
        ? Optional.empty()
        : Optional.of(
            new Member(
                seen,
                Optional.ofNullable(node).filter(joined -> joined.isOf(seen)),
                Optional.ofNullable(underWay)));
  }
}
