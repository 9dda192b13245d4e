package io.nodepool.conformance;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.Word;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;

/** A state that the script waits for after a request to a fleet. */
enum Milestone implements Word {
  /** The machine runs for its tenancy. */
  RUNNING,
  /** Its Node of that tenancy is Ready. */
  JOINED,
  /** Host and Node show the same boot. */
  SAME_BOOT,
  /** The requested reboot ended, and Host and Node show the new boot. */
  BOOTED,
  /** The fleet answered the request to verify. */
  VERIFIED,
  /** The fleet answered all requests to repair components. */
  REPAIRED,
  /** The machine is off. */
  STOPPED,
  /** There is no Node. */
  NODE_GONE,
  /** The machine may be assigned again. */
  FREE;

  /** Whether the milestone is reached. */
  boolean isReached(Host host, Optional<Node> node, Instant now) {
    return switch (this) {
      case RUNNING -> host.is(HostPhase.RUNNING);
      case JOINED -> RUNNING.isReached(host, node, now) && node.filter(ready(host)).isPresent();
      case SAME_BOOT ->
          JOINED.isReached(host, node, now)
              && !host.report().bootId().isEmpty()
              && node.orElseThrow().status().bootId().equals(host.report().bootId());
      case BOOTED ->
          SAME_BOOT.isReached(host, node, now)
              && !host.isRebooting()
              && host.report().boot().cycle().isEmpty();
      case VERIFIED -> host.boot().flatMap(host::verified).isPresent();
      case REPAIRED -> host.unansweredRepairs().findAny().isEmpty();
      case STOPPED -> host.isOff(now);
      case NODE_GONE -> node.isEmpty();
      case FREE -> host.assignment().isEmpty() && host.report().phase() == HostPhase.FREE;
    };
  }

  private static Predicate<Node> ready(Host host) {
    return node -> node.isOf(host) && node.ready();
  }

  /** Whether the milestone will not be reached, since the machine failed. */
  boolean isLost(Host host) {
    return host.report().phase() == HostPhase.FAILED
        && (this == FREE ? host.assignment().isEmpty() : this != STOPPED && this != NODE_GONE);
  }

  /** The state of a Host and its Node, for people. */
  static String state(Host host, Optional<Node> node) {
    return "phase %s of tenancy %d (spec.tenancy %d), boot \"%s\"%s; %s"
        .formatted(
            host.report().phase().word(),
            host.report().tenancy(),
            host.tenancy(),
            host.report().bootId(),
            host.report().message().isEmpty() ? "" : ": " + host.report().message(),
            node.map(each ->
                    "Node of tenancy %d, %s, boot \"%s\""
                        .formatted(
                            each.identity().tenancy(),
                            each.ready() ? "Ready" : "not Ready",
                            each.status().bootId()))
                .orElse("no Node"));
  }
}
