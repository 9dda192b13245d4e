package io.nodepool.control;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.model.Claim;
import io.nodepool.model.EventLedger;
import io.nodepool.model.Growth;
import io.nodepool.model.Pool;
import java.time.Instant;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is known of one pool. Lives on the decision thread. */
final class PoolEntry {
  /** The pool as last seen; null while only its Hosts were seen. */
  @Nullable Pool pool;

  /** Machines whose Host is assigned to the pool, by the Host's UID. */
  final TreeMap<String, MachineEntry> members = new TreeMap<>();

  /**
   * UIDs of Hosts whose assignment to the pool is under way and was not seen to have taken effect.
   */
  final Set<String> assigning = new HashSet<>();

  /** What was seen to happen to its Nodes; null until the pool was looked at once. */
  @Nullable EventLedger ledger;

  /** The newest growth request, published or not yet. */
  Optional<Growth> growth = Optional.empty();

  /** Whether the pool wants more than it holds, as of its last plan. */
  boolean wanting;

  /** Whether a live list found nothing of the pool after its deletion was asked for. */
  boolean confirmedEmpty;

  /** What the pool's Nodes are to carry of its spec; empty while nothing is to be changed. */
  Optional<NodeTemplate> followed = Optional.empty();

  /** The claim as the other pools last heard of it. */
  Optional<Claim> told = Optional.empty();

  Instant lastPlan = Instant.MIN;
  Instant lastStatus = Instant.MIN;

  int held() {
    return members.size() + assigning.size();
  }

  boolean isUnused() {
    return pool == null && members.isEmpty() && assigning.isEmpty();
  }

  /** What other pools see of it; empty while it neither asked for nor holds anything. */
  Optional<Claim> claim() {
    Pool seen = pool;
    if (seen == null) {
      return Optional.empty();
    }
    if (seen.isLeaving()) {
      return held() == 0
          ? Optional.empty()
          : Optional.of(
              new Claim(
                  seen.id(),
                  seen.spec().priority(),
                  Instant.MAX,
                  0,
                  0,
                  held(),
                  held(),
                  seen.spec().affinity()));
    }
    return growth.map(asked ->
        new Claim(
            seen.id(),
            seen.spec().priority(),
            asked.askedAt(),
            asked.target(),
            asked.granted(),
            Math.max(Math.max(asked.granted(), published(seen)), held()),
            held(),
            seen.spec().affinity()));
  }

  /**
   * The size that the object says is granted. Less quota than that is free for others only once the
   * object says so too: what is only in memory does not outlive the operator.
   */
  private static int published(Pool seen) {
    return seen.status().growth().map(Growth::granted).orElse(0);
  }
}
