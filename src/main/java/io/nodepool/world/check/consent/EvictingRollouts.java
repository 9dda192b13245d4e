package io.nodepool.world.check.consent;

import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which pools have a rollout, and which of them one that evicts (decisions D173 and D174), by what
 * users wrote: a rollout evicts if the setting stood beside the command that started it, until it
 * is taken back or the rollout is stopped.
 */
public final class EvictingRollouts {
  /** What users wrote on one pool. */
  private static final class Facts {
    private boolean started;
    private boolean evicts;
    private boolean stops;
    private Optional<Instant> takenBackAt = Optional.empty();
    private Optional<Instant> stoppedAt = Optional.empty();

    /** When a client replaced the status, and with it what the user had commanded. */
    private Optional<Instant> lostAt = Optional.empty();

    private PoolStatus status = PoolStatus.NONE;

    /** Whether nothing ended it before this instant. */
    private boolean goesOnUntil(Instant since) {
      return started
          && Stream.concat(stoppedAt.stream(), lostAt.stream()).noneMatch(at -> at.isBefore(since));
    }

    private boolean evictsUntil(Instant since) {
      return evicts && takenBackAt.filter(at -> at.isBefore(since)).isEmpty();
    }
  }

  /** By the UID of the pool. */
  private final Map<String, Facts> pools = new HashMap<>();

  /**
   * Records what a pool is now.
   *
   * @param byOperator whether the operator wrote it
   * @param calm since when an operator can observe everything
   */
  public void see(Pool pool, boolean byOperator, Instant now, Instant calm) {
    Facts facts = pools.computeIfAbsent(pool.id().uid(), _ -> new Facts());
    ConfigurationCommands.Asked asked = pool.spec().configuration().commands().asked();
    boolean evict = pool.spec().configuration().rollout().evict();
    if (!evict) {
      facts.takenBackAt = facts.takenBackAt.or(() -> Optional.of(now));
    } else if (asked.starts()) {
      facts.evicts = true;
      facts.takenBackAt = Optional.empty();
    } else if (facts.takenBackAt.isPresent()) {
      // Setting it once more does not change the rollout that runs, once the other was seen.
      facts.evicts &= !Consent.isSeen(facts.takenBackAt.get(), now, calm);
      facts.takenBackAt = Optional.empty();
    }
    if (!byOperator && !pool.status().equals(facts.status) && isLost(pool)) {
      facts.lostAt = Optional.of(now);
    }
    if (asked.starts()) {
      facts.started = true;
      facts.stoppedAt = Optional.empty();
      facts.lostAt = Optional.empty();
    } else if (asked.stops() && !facts.stops) {
      facts.stoppedAt = Optional.of(now);
    } else if (facts.stops && !asked.stops() && !byOperator) {
      // Taken off before it was followed.
      facts.stoppedAt = Optional.empty();
    }
    facts.stops = asked.stops();
    facts.status = pool.status();
  }

  /** Whether a pool's status is empty, or that of another pool. */
  private static boolean isLost(Pool pool) {
    String owner = pool.status().configuration().handled().poolUid();
    return pool.status().nodeProfile().isEmpty()
        || (!owner.isEmpty() && !owner.equals(pool.id().uid()));
  }

  /** A pool is gone, and its rollout with it; who has not observed that goes on with it. */
  public void gone(String poolUid, Instant now) {
    facts(poolUid).ifPresent(facts -> facts.stoppedAt = facts.stoppedAt.or(() -> Optional.of(now)));
  }

  private Optional<Facts> facts(String poolUid) {
    return Optional.ofNullable(pools.get(poolUid));
  }

  /** Whether a rollout of the pool went on at this instant, as far as users wrote. */
  public boolean goesOn(String poolUid, Instant since) {
    return facts(poolUid).filter(facts -> facts.goesOnUntil(since)).isPresent();
  }

  /** Whether a rollout of the pool went on at this instant that evicts: no other one may begin. */
  public boolean evicts(String poolUid, Instant since) {
    return facts(poolUid)
        .filter(facts -> facts.goesOnUntil(since) && facts.evictsUntil(since))
        .isPresent();
  }

  /**
   * Whether a drain that began for a rollout which evicts may go on: from a stop on nothing more is
   * evicted (decision D199). What follows from a lost status must be published first.
   *
   * @param since the oldest moment that the operator may have taken for the present
   * @param calm since when an operator can observe everything
   */
  public boolean drains(String poolUid, Instant since, Instant calm) {
    return facts(poolUid)
        .filter(facts -> facts.evictsUntil(since))
        .filter(facts -> facts.stoppedAt.filter(at -> at.isBefore(since)).isEmpty())
        .filter(facts -> facts.lostAt.filter(at -> Consent.isSeen(at, since, calm)).isEmpty())
        .isPresent();
  }
}
