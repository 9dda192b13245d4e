package io.nodepool.model.pool;

import java.time.Instant;
import java.util.Optional;

/**
 * The rollout of a pool's active configuration.
 *
 * @param number counts the rollouts that were started, from 1; 0 before the first
 * @param phase where it stands
 * @param reason why it paused or was stopped without a command: one sentence; empty text otherwise
 * @param canarySince since when all Nodes of the canary have been up to date; empty before that,
 *     and without a canary
 * @param evicts whether it evicts work on busy Nodes: what its start asked for, until the setting
 *     is taken back
 */
public record RolloutState(
    int number, Phase phase, String reason, Optional<Instant> canarySince, boolean evicts) {
  /** No rollout was started. */
  public static final RolloutState NONE =
      new RolloutState(0, Phase.NONE, "", Optional.empty(), false);

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
    return new RolloutState(number + 1, Phase.RUNNING, "", Optional.empty(), false);
  }

  /** This rollout, continued after it was stopped or paused. */
  public RolloutState resumed() {
    return new RolloutState(number, Phase.RUNNING, "", canarySince, evicts);
  }

  /** This rollout, stopped by a user. */
  public RolloutState stopped() {
    return stopped("");
  }

  /** This rollout, stopped without a command. */
  public RolloutState stopped(String why) {
    return new RolloutState(number, Phase.STOPPED, why, canarySince, evicts);
  }

  /** This rollout, paused by itself. */
  public RolloutState paused(String why) {
    return new RolloutState(number, Phase.PAUSED, why, canarySince, evicts);
  }

  /** This rollout, complete. */
  public RolloutState complete() {
    return new RolloutState(number, Phase.NONE, "", Optional.empty(), false);
  }

  /** This rollout with another instant of its canary. */
  public RolloutState withCanarySince(Optional<Instant> next) {
    return new RolloutState(number, phase, reason, next, evicts);
  }

  /** This rollout, with eviction or without. */
  public RolloutState withEvicts(boolean next) {
    return new RolloutState(number, phase, reason, canarySince, next);
  }
}
