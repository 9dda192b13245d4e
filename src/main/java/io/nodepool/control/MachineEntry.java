package io.nodepool.control;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Member;
import io.nodepool.model.Node;
import io.nodepool.model.Pod;
import java.time.Duration;
import java.time.Instant;
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

  /** Until when the Host is left alone after it refused an operation. */
  Instant refusedUntil = Instant.MIN;

  /** What is awaited of the machine, in which tenancy, and since when by the steady clock. */
  private @Nullable Awaited awaited;

  private record Awaited(Member.Stage stage, int tenancy, Instant since) {}

  /** The operation on the Host that is under way. */
  @Nullable HostOperation underWay;

  MachineEntry(String name) {
    this.name = name;
  }

  boolean isUnused() {
    return host == null && node == null && pods.isEmpty() && underWay == null;
  }

  /** Notes since when what the machine has to do next is awaited. */
  void await(Instant now) {
    Host seen = host;
    Member.Stage stage = seen == null ? null : stage(seen);
    if (seen == null || stage == null) {
      awaited = null;
    } else if (awaited == null || awaited.stage() != stage || awaited.tenancy() != seen.tenancy()) {
      awaited = new Awaited(stage, seen.tenancy(), now);
    }
  }

  private Member.@Nullable Stage stage(Host seen) {
    if (seen.assignment().isEmpty() || seen.power() == Host.Power.OFF) {
      return null;
    }
    if (seen.isBooting()) {
      return Member.Stage.DELIVERY;
    }
    boolean registered = node != null && node.isOf(seen) && node.registered();
    return seen.is(HostPhase.RUNNING) && !registered ? Member.Stage.REGISTRATION : null;
  }

  /** Its Host as a member of the pool that holds it. */
  Optional<Member> member(Instant now) {
    Host seen = host;
    return seen == null
        ? Optional.empty()
        : Optional.of(
            new Member(
                seen,
                Optional.ofNullable(node).filter(joined -> joined.isOf(seen)),
                Optional.ofNullable(underWay),
                Optional.ofNullable(awaited)
                    .map(each ->
                        new Member.Waiting(each.stage(), Duration.between(each.since(), now)))));
  }
}
