package io.nodepool.model.pool;

import java.time.Instant;
import java.util.Optional;

/**
 * The rollout of a pool's active configuration.
 *
 * @param number counts the rollouts that were started, from 1; 0 before the first
 * @param phase where it stands
 * @param reason why it paused by itself: one sentence; empty text otherwise
 * @param canarySince since when all Nodes of the canary have been up to date; empty before that,
 *     and without a canary
 */
public record RolloutState(int number, Phase phase, String reason, Optional<Instant> canarySince) {
  /** No rollout was started. */
  public static final RolloutState NONE = new RolloutState(0, Phase.NONE, "", Optional.empty());

  /** Where a rollout stands. */
  public enum Phase {
    /** None is under way; the last one is complete. */
    NONE(""),
    /** Nodes are begun. */
    RUNNING("Running"),
    /** A user stopped it. */
    STOPPED("Stopped"),
    /** It paused by itself, after failures. */
    PAUSED("Paused");

    private final String word;

    Phase(String word) {
      this.word = word;
    }

    /** The phase as written in a status; empty text for none. */
    public String word() {
      return word;
    }
  }

  /** The next rollout, which begins now. */
  public RolloutState started() {
    return new RolloutState(number + 1, Phase.RUNNING, "", Optional.empty());
  }

  /** This rollout, continued after it was stopped or paused. */
  public RolloutState resumed() {
    return new RolloutState(number, Phase.RUNNING, "", canarySince);
  }

  /** This rollout, stopped by a user. */
  public RolloutState stopped() {
    return new RolloutState(number, Phase.STOPPED, "", canarySince);
  }

  /** This rollout, paused by itself. */
  public RolloutState paused(String why) {
    return new RolloutState(number, Phase.PAUSED, why, canarySince);
  }

  /** This rollout, complete. */
  public RolloutState complete() {
    return new RolloutState(number, Phase.NONE, "", Optional.empty());
  }

  /** This rollout with another instant of its canary. */
  public RolloutState withCanarySince(Optional<Instant> next) {
    return new RolloutState(number, phase, reason, next);
  }
}
