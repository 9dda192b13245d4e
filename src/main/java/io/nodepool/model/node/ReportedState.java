package io.nodepool.model.node;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import java.time.Instant;
import java.util.Optional;

/**
 * A state of Nodes that the status of their pool reports: how many, the first names, and since when
 * (decision D239). A Node may be in several. One whose machine is asked to stop is only in
 * disruption: what follows is the end of its way out.
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

  /** Since when the Node of this member is in this state, by what objects say; empty if not. */
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
