package io.nodepool.control.state;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Claim;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.ValidatedReason;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/** The state of one pool. Confined to the decision thread. */
public final class PoolEntry {
  /** The pool as last observed; null while only its Hosts were observed. */
  @Nullable Pool pool;

  /** Why the stored pool cannot be read; null while it can. */
  public @Nullable Unreadable unreadable;

  /** An unreadable state of the pool, and whether it was reported. */
  public record Unreadable(PoolId pool, String why, boolean reported) {
    Unreadable afterReporting(String what) {
      return new Unreadable(pool, why, reported || why.equals(what));
    }
  }

  /** Whether a live read found that the pool does not exist. */
  boolean goneConfirmed;

  /** The machines whose Host is assigned to the pool, without the changes in {@link #changed}. */
  private Members counted = Members.NONE;

  /** The machines that changed since they were counted, by the UIDs of their Hosts. */
  private final Map<String, Optional<Member>> changed = new LinkedHashMap<>();

  /** Its Nodes with tenant work whose Host does not exist: their UIDs, by name. */
  TreePMap<String, String> withoutHost = TreePMap.empty();

  /** UIDs of Hosts whose assignment to the pool is under way and was not observed yet. */
  final Set<String> assigning = new HashSet<>();

  /** UIDs of Hosts that a write under way keeps for inspection. */
  final Set<String> preserving = new HashSet<>();

  /** The counts of what happened to its Nodes; null until the pool was first reconciled. */
  @Nullable EventLedger ledger;

  /** Names of the machines that it holds whose Host was never read. */
  final Set<String> unread = new HashSet<>();

  /** The newest growth request, published or not yet. */
  Optional<Growth> growth = Optional.empty();

  /** The Nodes that leave after a failed reboot, published or not yet. */
  FailedReboots failedReboots = FailedReboots.NONE;

  /** The repairs of its machines, published or not yet. */
  RepairState repairs = RepairState.NONE;

  /** The figures of its last plan. */
  PoolPlan.Figures figures = PoolPlan.Figures.NONE;

  /** Whether the pool wants more than it holds, or is over its quota, as of its last plan. */
  boolean wanting;

  /** Whether a live list found nothing of the pool after its deletion was requested. */
  boolean confirmedEmpty;

  /**
   * The metadata that the pool's Nodes must have from its spec; empty while nothing must change.
   */
  Optional<NodeTemplate> followed = Optional.empty();

  /** Whether its Nodes keep their metadata, since the metadata of the spec cannot be applied. */
  boolean keepsMetadata;

  /** The claim that the other pools were last planned with. */
  Optional<Claim> plannedClaim = Optional.empty();

  /** The writes for the pool that the API server refuses. */
  final PoolRefusals refusals = new PoolRefusals();

  /** When it was last planned. */
  public Instant lastPlan = Instant.MIN;

  /** When a status of it was last submitted. */
  public Instant lastStatus = Instant.MIN;

  /**
   * The figures of a pool that metrics serve beside its status.
   *
   * @param name the name of the pool
   * @param plan the figures of its last plan
   * @param inFlight the number of its Nodes that are repaired, or leave since they did not come
   *     back
   * @param mostInFlight the greatest number that may be
   * @param blocked the Nodes whose drain PodDisruptionBudgets block, by the kind of the owners of
   *     the Pods whose eviction they refused; a Node with several kinds counts for each
   */
  public record Figures(
      String name,
      PoolPlan.Figures plan,
      PoolSnapshot.InFlight inFlight,
      int mostInFlight,
      SortedMap<String, Integer> blocked) {}

  /**
   * The machines whose Host is assigned to the pool. They are counted when this is called, since a
   * machine changes several times between two plans of its pool.
   */
  Members members() {
    changed.forEach(
        (uid, next) -> counted = next.map(counted::with).orElseGet(() -> counted.without(uid)));
    changed.clear();
    return counted;
  }

  /**
   * Takes the next state of a machine that the pool holds; empty if it no longer holds the machine.
   */
  void changed(String hostUid, Optional<Member> next) {
    changed.put(hostUid, next);
  }

  /** The difference between the pool and its next state, which is not recorded yet. */
  PoolChange change(Pool next) {
    boolean follows =
        next.followed().filter(each -> !followed.equals(Optional.of(each))).isPresent()
            || (next.keepsMetadata() && !keepsMetadata);
    return new PoolChange(members(), Optional.ofNullable(pool), next, follows, unreadable != null);
  }

  /** Observes a state of the pool. */
  void seen(Pool next) {
    if (pool == null) {
      growth = next.status().growth();
      failedReboots = next.status().failedReboots();
      repairs = next.status().repairs();
    }
    pool = next;
    unreadable = null;
    goneConfirmed = false;
    ledger = ledger == null ? null : ledger.published(next.status());
    followed = next.followed();
    keepsMetadata = next.keepsMetadata();
  }

  /** Observes that the pool no longer exists. */
  void gone() {
    pool = null;
    unreadable = null;
    ledger = null;
    followed = Optional.empty();
    keepsMetadata = false;
  }

  /**
   * The number of its Nodes that are repaired, or that leave or may leave since they did not come
   * back.
   */
  PoolSnapshot.InFlight inFlight() {
    return new PoolSnapshot.InFlight(
        failedReboots.leaving(members()) + repairs.inFlight(members(), Instant.MIN),
        repairs.rack().isPresent() ? 1 : 0);
  }

  /**
   * The number of other machines that the pool keeps for inspection, or is about to keep. For a
   * machine that it keeps already: only those that must be stopped earlier. 0 if the pool does not
   * keep machines.
   */
  int preservedBeside(Host host) {
    if (pool == null || !pool.spec().repair().isPreserving()) {
      return 0;
    }
    Optional<Instant> until = host.preserved().map(Assignment.Preserved::until);
    return until
        .map(end ->
            (int)
                members().preserved().stream()
                    .map(Member::host)
                    .filter(other -> !other.id().equals(host.id()))
                    .filter(other -> isBefore(other, end, host))
                    .count())
        .orElseGet(() ->
            members().preserved().size()
                + (int) preserving.stream().filter(uid -> !uid.equals(host.id().uid())).count());
  }

  private static boolean isBefore(Host other, Instant end, Host host) {
    int order = other.preserved().orElseThrow().until().compareTo(end);
    return order < 0 || (order == 0 && other.id().uid().compareTo(host.id().uid()) < 0);
  }

  int held() {
    return members().size() + assigning.size() + unread.size();
  }

  /** The metadata that a machine's Node must have from the pool's spec; empty while undecided. */
  Optional<NodeTemplate> metadata(Host host, @Nullable Node node) {
    if (!keepsMetadata) {
      return followed;
    }
    Optional<Node> present = Optional.ofNullable(node).filter(seen -> seen.isOf(host));
    Optional<NodeTemplate> given = present.flatMap(seen -> seen.metadata().applied());
    // The assignment's metadata is out of date if a Node had a record once and lost it.
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
        && members().size() == 0
        && members().preserved().isEmpty()
        && assigning.isEmpty()
        && unread.isEmpty()
        && withoutHost.isEmpty();
  }

  /** Its claim on quota and Hosts; empty while it neither requests nor holds anything. */
  Optional<Claim> claim() {
    Pool seen = pool;
    if (seen == null) {
      return Optional.ofNullable(unreadable)
          .filter(_ -> held() > 0)
          .map(each -> holding(each.pool(), new Claim.Rank(false, 0, Instant.MAX), Affinity.any()));
    }
    if (seen.isTerminating()) {
      return held() == 0
          ? Optional.empty()
          : Optional.of(holding(seen.id(), rank(seen, Instant.MAX), seen.spec().affinity()));
    }
    if (growth.isEmpty() && seen.spec().target() == 0) {
      return Optional.empty();
    }
    int most = isInvalid(seen) ? held() : Integer.MAX_VALUE;
    Growth asked = growth.orElse(new Growth(Instant.MAX, 0, 0, 0));
    return Optional.of(
        new Claim(
            seen.id(),
            rank(seen, asked.askedAt()),
            Math.min(seen.spec().target(), most),
            Math.min(asked.target(), most),
            Math.min(asked.granted(), most),
            Math.max(Math.max(asked.granted(), published(seen)), held()),
            held(),
            seen.spec().affinity()));
  }

  /** The claim of a pool that requests nothing beyond what it holds. */
  private Claim holding(PoolId id, Claim.Rank rank, Affinity affinity) {
    return new Claim(id, rank, 0, 0, 0, held(), held(), affinity);
  }

  private static Claim.Rank rank(Pool seen, Instant askedAt) {
    return new Claim.Rank(seen.spec().isSpot(), seen.spec().priority(), askedAt);
  }

  /** The instance type of the pool; the type of its members if the pool was never read. */
  Optional<String> instanceType() {
    Pool seen = pool;
    return seen != null
        ? Optional.of(seen.spec().instanceType())
        : members().stream().map(member -> member.host().machine().instanceType()).findFirst();
  }

  /**
   * Whether its own spec, or its active configuration, prevents growth. The pool keeps its place
   * and its quota (decision D12), but no Host that another pool could take is reserved for it.
   */
  private static boolean isInvalid(Pool seen) {
    return seen.status()
        .condition(PoolCondition.VALIDATED)
        .filter(condition ->
            condition.reason() instanceof ValidatedReason reason && reason.holdsGrowth())
        .isPresent();
  }

  /**
   * The granted size that the object records. A smaller grant frees quota for others only once the
   * object records it: a value that is only in memory does not survive the operator.
   */
  private static int published(Pool seen) {
    return seen.status().growth().map(Growth::granted).orElse(0);
  }
}
