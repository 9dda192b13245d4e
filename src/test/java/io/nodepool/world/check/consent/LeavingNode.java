package io.nodepool.world.check.consent;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.world.check.chronicle.Chronicle;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A Node that an operator removes, and what was the case when it decided that. A fact counts if it
 * was the case at any time since the oldest moment that the operator may have taken for the
 * present.
 *
 * @param since that moment
 * @param calm since when an operator can observe everything
 */
public record LeavingNode(Chronicle chronicle, Node node, Instant since, Instant calm) {
  /** How long after its decision a cordon takes effect at the latest. */
  private static final Duration LATEST_EFFECT = Duration.ofSeconds(30);

  /** What gives or withholds the consent of one group of causes. */
  public interface Ground {
    /** Whether it demands that the Node leaves its pool. */
    default boolean demands(LeavingNode leaving) {
      return false;
    }

    /** Whether the strategy of the pool says whether work is interrupted for what it demands. */
    default boolean followsStrategy() {
      return true;
    }

    /** What of it allows to interrupt the work on the Node, whatever the strategy of its pool. */
    default Stream<Consent> consents(LeavingNode leaving) {
      return Stream.empty();
    }

    /** Whether it demands that the machine of the Node is booted. */
    default boolean demandsReboot(LeavingNode leaving) {
      return false;
    }

    /** What of it allows to interrupt the work on a Node whose machine is booted. */
    default Stream<Consent> rebootConsents(LeavingNode leaving) {
      return Stream.empty();
    }

    /** What ends the respect for budgets in its drain, whatever allowed that to begin. */
    default Stream<Consent> announced(LeavingNode leaving) {
      return Stream.empty();
    }
  }

  /** Since when the Node may have been chosen for something that has passed since. */
  public Instant chosen() {
    return earlier(
        chronicle.node(node.name()).lastWas(Node::cordoned).orElse(since).minus(LATEST_EFFECT));
  }

  /**
   * Since when what its pool demanded may not have ended: that ends when the plan of the pool takes
   * it back, which needs a write of its own.
   */
  public Instant demanded() {
    Instant reaction = chronicle.now().minus(Consent.REACTION);
    return calm.isAfter(reaction) ? chosen() : earlier(reaction);
  }

  private Instant earlier(Instant other) {
    return since.isBefore(other) ? since : other;
  }

  /** The machines under its name since. */
  public Stream<Host> hosts() {
    return chronicle.host(node.name()).all(since);
  }

  /** Whether the machine under its name was such a one. */
  public boolean host(Instant from, Predicate<Host> is) {
    return chronicle.host(node.name()).was(from, is);
  }

  /** Whether the pool that holds its machine was such a one, which is empty if it was gone. */
  public boolean pool(Instant from, Predicate<Optional<Pool>> is) {
    return host(
        from,
        host ->
            host.assignment()
                .map(held -> held.pool())
                .filter(held ->
                    chronicle
                        .pool(held.name())
                        .ever(from, pool -> is.test(pool.filter(p -> p.id().equals(held)))))
                .isPresent());
  }
}
