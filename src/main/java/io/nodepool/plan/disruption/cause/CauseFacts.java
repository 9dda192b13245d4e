package io.nodepool.plan.disruption.cause;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.disruption.Demand;
import java.time.Instant;
import java.util.Optional;

/**
 * The facts about a Node from which causes follow, at one instant.
 *
 * @param host its machine; empty if it has none any more
 * @param request the request on it that its fleet can meet, as one that waits for an idle Node
 * @param consent whether the policy on it belongs to that request
 * @param mayInterrupt whether tenant work may be interrupted if a cause has no instants of its own
 * @param isOrphan whether its pool is gone
 */
public record CauseFacts(
    Optional<Host> host,
    Optional<RequestedRebootCause> request,
    RebootConsent consent,
    Optional<Pool> pool,
    boolean mayInterrupt,
    boolean isOrphan,
    Instant now,
    PlanSettings settings) {

  /** The facts about the Node of a machine that a pool holds. */
  public static CauseFacts of(MachineSnapshot seen, Instant now, PlanSettings settings) {
    return new CauseFacts(
        Optional.of(seen.host()),
        seen.presentNode().flatMap(node -> request(node, seen.offer())),
        seen.presentNode()
            .map(node -> RebootConsent.of(node, seen.evidence().requested(), now, settings))
            .orElseGet(RebootConsent.None::new),
        seen.pool(),
        seen.pool().map(pool -> !pool.spec().keepsBusyNodes()).orElse(true),
        seen.pool().isEmpty() && seen.evidence().ownerGone(),
        now,
        settings);
  }

  /**
   * The request on a registered Node that its fleet can meet. While the fleet's offer cannot be
   * read, one that is carried out goes on, and no other begins.
   */
  private static Optional<RequestedRebootCause> request(Node node, Optional<FleetOffer> offer) {
    boolean meets =
        offer
            .map(known -> RebootRequest.refusal(node, known.capabilities()).isEmpty())
            .orElse(node.isOutOfService());
    return RebootRequest.of(node).filter(_ -> node.registered() && meets);
  }

  /**
   * The facts about a Node without a machine.
   *
   * @param mayInterrupt whether it may go although it has tenant work
   */
  public static CauseFacts withoutMachine(
      boolean mayInterrupt, Instant now, PlanSettings settings) {
    return new CauseFacts(
        Optional.empty(),
        Optional.empty(),
        new RebootConsent.None(),
        Optional.empty(),
        mayInterrupt,
        false,
        now,
        settings);
  }

  /** This cause, since when it is recorded, or since now. */
  Disruption.Cause since(KnownCause found, Optional<Disruption.Active> recorded) {
    return recorded.stream()
        .flatMap(active -> active.causes().stream())
        .filter(cause -> cause.what().equals(found))
        .findFirst()
        .orElse(found.at(now));
  }

  /** At once if the Node is idle, and not otherwise; its drain has its deadline from now. */
  Demand.Window whenIdle() {
    return Demand.Window.WHEN_IDLE.withForceAt(now.plus(settings.drain().deadline()));
  }

  /**
   * What a cause demands for which the Node leaves, without instants of its own: whether busy work
   * may be interrupted is the pool's strategy (decision D66).
   */
  Demand leaving(Disruption.Cause cause) {
    return Demand.of(
        cause,
        mayInterrupt ? whenIdle().withInterruptAt(cause.at()) : whenIdle(),
        new DisruptionEnding.Leave());
  }
}
