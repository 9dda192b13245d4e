package io.nodepool.control.state;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.model.node.Members;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.ValidatedReason;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is known of one pool. Lives on the decision thread. */
public final class PoolEntry {
  /** The pool as last seen; null while only its Hosts were seen. */
  @Nullable Pool pool;

  /** Why the pool as it is stored cannot be read; null while it can. */
  public @Nullable Unreadable unreadable;

  /** A state of the pool that cannot be read, and whether that was said. */
  public record Unreadable(PoolId pool, long version, String why, boolean said) {
    Unreadable afterSaying(String what) {
      return new Unreadable(pool, version, why, said || why.equals(what));
    }
  }

  /** Whether a live read found that there is no such pool. */
  boolean goneConfirmed;

  /** The machines whose Host is assigned to the pool. */
  Members members = Members.NONE;

  /**
   * UIDs of Hosts whose assignment to the pool is under way and was not seen to have taken effect.
   */
  final Set<String> assigning = new HashSet<>();

  /** What was seen to happen to its Nodes; null until the pool was looked at once. */
  @Nullable EventLedger ledger;

  /** Names of machines that it holds and whose Host was never read. */
  final Set<String> unread = new HashSet<>();

  /** The newest growth request, published or not yet. */
  Optional<Growth> growth = Optional.empty();

  /** Whether the pool wants more than it holds, as of its last plan. */
  boolean wanting;

  /** Whether a live list found nothing of the pool after its deletion was asked for. */
  boolean confirmedEmpty;

  /** What the pool's Nodes are to carry of its spec; empty while nothing is to be changed. */
  Optional<NodeTemplate> followed = Optional.empty();

  /** Whether its Nodes keep what they have, since the spec's metadata cannot be given to Nodes. */
  boolean keepsMetadata;

  /** The claim as the other pools last heard of it. */
  Optional<Claim> told = Optional.empty();

  /** When it was last planned, and when its status was last written. */
  final Pace pace = new Pace();

  /** How lately something was done. Kept by the pool's loop. */
  public static final class Pace {
    /** When the pool was last planned. */
    public Instant lastPlan = Instant.MIN;

    /** When a status of the pool was last submitted. */
    public Instant lastStatus = Instant.MIN;
  }

  int held() {
    return members.size() + assigning.size() + unread.size();
  }

  /** What a machine's Node is to carry of the pool's spec; empty while that is not settled. */
  Optional<NodeTemplate> metadata(Host host, @Nullable Node node) {
    if (!keepsMetadata) {
      return followed;
    }
    Optional<Node> present = Optional.ofNullable(node).filter(seen -> seen.isOf(host));
    Optional<NodeTemplate> given = present.flatMap(seen -> seen.metadata().applied());
    // The assignment is out of date where a Node had a record once and lost it.
    return given
        .or(() ->
            host.assignment()
                .filter(a -> present.filter(Node::registered).isEmpty())
                .map(Assignment::node))
        .or(() -> Optional.of(NodeTemplate.EMPTY))
        .map(NodeTemplate::permitted);
  }

  boolean isUnused() {
    return pool == null
        && unreadable == null
        && members.size() == 0
        && assigning.isEmpty()
        && unread.isEmpty();
  }

  /** What other pools see of it; empty while it neither asked for nor holds anything. */
  Optional<Claim> claim() {
    Pool seen = pool;
    if (seen == null) {
      return Optional.ofNullable(unreadable)
          .filter(_ -> held() > 0)
          .map(each -> holding(each.pool(), 0, Affinity.any()));
    }
    if (seen.isTerminating()) {
      return held() == 0
          ? Optional.empty()
          : Optional.of(holding(seen.id(), seen.spec().priority(), seen.spec().affinity()));
    }
    int most = isInvalid(seen) ? held() : Integer.MAX_VALUE;
    return growth.map(asked ->
        new Claim(
            seen.id(),
            seen.spec().priority(),
            asked.askedAt(),
            Math.min(asked.target(), most),
            Math.min(asked.granted(), most),
            Math.max(Math.max(asked.granted(), published(seen)), held()),
            held(),
            seen.spec().affinity()));
  }

  /** The claim of one that asks for nothing and holds what it holds. */
  private Claim holding(PoolId id, int priority, Affinity affinity) {
    return new Claim(id, priority, Instant.MAX, 0, 0, held(), held(), affinity);
  }

  /** The instance type of the pool; of one that was never read, that of what it holds. */
  Optional<String> instanceType() {
    Pool seen = pool;
    return seen != null
        ? Optional.of(seen.spec().instanceType())
        : members.stream().map(member -> member.host().machine().instanceType()).findFirst();
  }

  /**
   * Whether it cannot grow by its own fault. It keeps its place and its quota (decision D12), but
   * no Host is kept free for it that another pool could take.
   */
  private static boolean isInvalid(Pool seen) {
    return seen.status()
        .condition(PoolCondition.VALIDATED)
        .filter(condition -> condition.reason() == ValidatedReason.INVALID)
        .isPresent();
  }

  /**
   * The size that the object says is granted. Less quota than that is free for others only once the
   * object says so too: what is only in memory does not outlive the operator.
   */
  private static int published(Pool seen) {
    return seen.status().growth().map(Growth::granted).orElse(0);
  }
}
