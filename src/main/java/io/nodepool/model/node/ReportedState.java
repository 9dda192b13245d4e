package io.nodepool.model.node;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import java.time.Instant;
import java.util.Optional;

/**
 * A state of Nodes that the status of their pool reports: the number, the first names, and since
 * when (decision D239). A Node may be in several states. A Node whose machine is asked to stop is
 * only in disruption, since its removal is about to end.
 */
public enum ReportedState {
  /** It is registered, and its Ready condition is not True. */
  NOT_READY,
  /** It is registered, and its fleet reports its machine in another phase than Running. */
  NOT_IN_SERVICE,
  /** It shows an alert about its machine. */
  ALERTING,
  /** It is admitted or committed to leave or to be rebooted. */
  IN_DISRUPTION;

  /** Since when the member's Node is in this state, as objects record it; empty if it is not. */
  public Optional<Instant> since(Member member) {
    return switch (this) {
      case NOT_READY ->
          serving(member).flatMap(Member::node).flatMap(node -> node.status().notReadySince());
      case NOT_IN_SERVICE ->
          serving(member)
              .map(Member::host)
              .filter(host -> !host.is(HostPhase.RUNNING))
              .map(host -> host.report().since());
      case ALERTING ->
          serving(member)
              .flatMap(Member::node)
              .flatMap(node ->
                  node.alerts().published().values().stream()
                      .map(NodeStatus.Entry::since)
                      .min(Instant::compareTo));
      case IN_DISRUPTION -> member.disruption().map(Disruption.Active::since);
    };
  }

  private static Optional<Member> serving(Member member) {
    return Optional.of(member)
        .filter(each -> each.isCurrent() && each.host().power() == Host.Power.ON);
  }
}
