package io.nodepool.plan.disruption.cause;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The facts about a Node from which causes follow, at one instant.
 *
 * @param seen its machine, with all that is known of both; empty if the Node has no machine
 * @param recorded the disruption of the Node that is under way
 * @param mayInterrupt whether tenant work may be interrupted if a cause has no instants of its own
 */
public record CauseFacts(
    Optional<MachineSnapshot> seen,
    Optional<Disruption.Active> recorded,
    boolean mayInterrupt,
    Instant now,
    PlanSettings settings) {

  /** The facts about the Node of a machine that a pool holds. */
  public static CauseFacts of(MachineSnapshot seen, Instant now, PlanSettings settings) {
    return new CauseFacts(
        Optional.of(seen),
        seen.presentNode().flatMap(Node::activeDisruption),
        seen.pool().map(pool -> !pool.spec().keepsBusyNodes()).orElse(true),
        now,
        settings);
  }

  /** The causes that are recorded. */
  public Stream<Disruption.Cause> recordedCauses() {
    return recorded.stream().flatMap(active -> active.causes().stream());
  }

  /** Its machine; empty if it has none any more. */
  public Optional<Host> host() {
    return seen.map(MachineSnapshot::host);
  }

  /** The Node; empty if it has no machine any more. */
  Optional<Node> node() {
    return seen.flatMap(MachineSnapshot::presentNode);
  }

  /** The pool that holds its machine, if it exists. */
  public Optional<Pool> pool() {
    return seen.flatMap(MachineSnapshot::pool);
  }

  /** Whether its pool is gone. */
  boolean isOrphan() {
    return seen.filter(each -> each.pool().isEmpty() && each.evidence().ownerGone()).isPresent();
  }

  /** The state that is requested on the Node, if its fleet can meet the request. */
  Optional<LifecycleState> request() {
    return node().filter(node -> node.registered() && meets(node)).flatMap(RebootRequest::of);
  }

  /** Whether the reboot policy on the Node belongs to its request. */
  public RebootConsent consent() {
    return seen.flatMap(each ->
            node().map(node -> RebootConsent.of(node, each.evidence().requested(), now, settings)))
        .orElseGet(RebootConsent.None::new);
  }

  /**
   * Whether its fleet can meet the request on a Node. While the fleet's offer cannot be read, a
   * request that is carried out goes on, and no other begins.
   */
  private boolean meets(Node node) {
    return seen.flatMap(MachineSnapshot::offer)
        .map(known -> RebootRequest.refusal(node, known.capabilities()).isEmpty())
        .orElse(node.isOutOfService());
  }

  /**
   * The facts about this Node without a machine.
   *
   * @param mayInterrupt whether the Node may leave although it has tenant work
   */
  public static CauseFacts withoutMachine(
      Node node, boolean mayInterrupt, Instant now, PlanSettings settings) {
    return new CauseFacts(Optional.empty(), node.activeDisruption(), mayInterrupt, now, settings);
  }

  /** This cause, since when it is recorded, or since now. */
  Disruption.Cause since(KnownCause found) {
    return recordedCauses()
        .filter(cause -> cause.what().equals(found))
        .findFirst()
        .orElse(found.at(now));
  }

  /** Only while the Node is idle; the deadline of its drain runs from now. */
  Demand.Window whenIdle() {
    return Demand.Window.WHEN_IDLE.withForceAt(now.plus(settings.drain().deadline()));
  }

  /**
   * The demand of a cause without instants of its own, for which the Node leaves since then. The
   * pool's strategy decides whether busy work may be interrupted (decision D66).
   */
  Demand leaving(Instant at) {
    return Demand.of(
        mayInterrupt ? whenIdle().withInterruptAt(at) : whenIdle(), new DisruptionEnding.Leave());
  }
}
