package io.nodepool.model.pool;

import io.nodepool.vocabulary.Word;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The rollout of a pool's active configuration.
 *
 * @param number counts the rollouts that were started, from 1; 0 before the first
 * @param phase its phase
 * @param reason why it paused or was stopped without a command: one sentence; empty text otherwise
 * @param canary the canary, while all of its Nodes are up to date; empty before that, without a
 *     canary, and while the rollout does not go on
 * @param evicts whether it evicts work on busy Nodes: as its start asked, until the setting is
 *     taken back
 * @param since since when it is in its phase; empty if that was not recorded
 */
@RecordBuilder
public record RolloutState(
    int number,
    Phase phase,
    String reason,
    Optional<Canary> canary,
    boolean evicts,
    Optional<Instant> since)
    implements RolloutStateCopy.With {
  /** No rollout was started. */
  public static final RolloutState NONE =
      new RolloutState(0, Phase.NONE, "", Optional.empty(), false, Optional.empty());

  /** The phase of a rollout. */
  public enum Phase implements Word {
    /** No rollout is under way; the last one is complete. */
    NONE,
    /** Nodes take on the configuration. */
    RUNNING,
    /** A user stopped it. */
    STOPPED,
    /** It paused by itself, after failures. */
    PAUSED;

    /** The phase as written in a status; empty text for none. */
    @Override
    public String word() {
      return this == NONE ? "" : Word.super.word();
    }
  }

  /**
   * A canary whose Nodes are all up to date, as published. Only time in which an operator watched
   * counts for its soak (decision D200). The instants may be from clocks of several operators, and
   * each clock may be wrong: never more time counts than was watched.
   *
   * @param since since when it is complete, later by the time that no operator watched
   * @param seen up to when an operator is known to have watched; empty if that was not recorded, or
   *     if the API server's definition of the status is too old to record it
   */
  public record Canary(Instant since, Optional<Instant> seen) {
    /** A canary that is complete since now. */
    public static Canary begun(Instant now) {
      return new Canary(inMillis(now), Optional.of(inMillis(now)));
    }

    /** Rounded up, so that a soak is not shorter than was asked for. */
    private static Instant inMillis(Instant instant) {
      return instant.plusNanos(999_999).truncatedTo(ChronoUnit.MILLIS);
    }

    /**
     * This canary, which is still complete.
     *
     * @param watchedSince since when the operator that plans now watches; later than now if it has
     *     not observed everything yet
     * @param every how often the status records that an operator watches
     */
    public Canary watched(Instant watchedSince, Instant now, Duration every) {
      Instant watching = watchedSince.isBefore(now) ? watchedSince : now;
      Duration unwatched = Duration.between(seen.orElse(since), watching);
      if (unwatched.isPositive()) {
        return new Canary(inMillis(since.plus(unwatched)), Optional.of(inMillis(now)));
      }
      return recordAt(every).filter(at -> !now.isBefore(at)).isPresent()
          ? new Canary(since, Optional.of(inMillis(now)))
          : this;
    }

    /** When the status next has to record that an operator watches; empty if it cannot do so. */
    public Optional<Instant> recordAt(Duration every) {
      return seen.map(at -> at.plus(every));
    }
  }

  /** The next rollout, which begins now. */
  public RolloutState started() {
    return NONE.withNumber(number + 1).withPhase(Phase.RUNNING);
  }

  /** This rollout, continued after it was stopped or paused. */
  public RolloutState resumed() {
    return new RolloutState(number, Phase.RUNNING, "", canary, evicts, since);
  }

  /** This rollout, stopped by a user. */
  public RolloutState stopped() {
    return stopped("");
  }

  /** This rollout, stopped without a command. */
  public RolloutState stopped(String why) {
    return new RolloutState(number, Phase.STOPPED, why, canary, evicts, since);
  }

  /** This rollout, paused by itself. */
  public RolloutState paused(String why) {
    return new RolloutState(number, Phase.PAUSED, why, canary, evicts, since);
  }

  /** This rollout with the start of its phase: now, unless it was published in this phase. */
  public RolloutState after(RolloutState published, Instant now) {
    return withSince(
        number == published.number && phase == published.phase
            ? published.since
            : Optional.of(now.truncatedTo(ChronoUnit.MILLIS)));
  }

  /** This rollout, complete. */
  public RolloutState complete() {
    return NONE.withNumber(number);
  }
}
