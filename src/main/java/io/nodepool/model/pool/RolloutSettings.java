package io.nodepool.model.pool;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.Optional;

/**
 * How the Nodes of a pool take on the active configuration in a rollout. Each setting is an
 * annotation of the NodePool.
 *
 * @param maxUnavailable a turn begins only while fewer Nodes than this are unavailable
 * @param canary the number of Nodes that have to be up to date before the others begin; 0 for none
 * @param soak how long the canary must have been up to date before the others begin
 * @param evict whether a rollout that starts now evicts work on busy Nodes, and a running rollout
 *     may continue to evict it, even if other settings are wrong
 * @param problem what is wrong with the annotations: one sentence; no rollout runs then
 */
@RecordBuilder
public record RolloutSettings(
    Limit maxUnavailable, int canary, Duration soak, boolean evict, Optional<String> problem)
    implements RolloutSettingsCopy.With {
  /** The settings without annotations. */
  public static final RolloutSettings DEFAULTS =
      new RolloutSettings(Limit.DEFAULT, 0, Duration.ZERO, false, Optional.empty());

  /**
   * A number of Nodes: the larger one of a count and a percentage of the pool.
   *
   * @param count at least 0
   * @param percent from 0 to 100; a fraction of a Node is left out
   */
  public record Limit(int count, int percent) {
    /** The larger one of 1 and 5 percent. */
    public static final Limit DEFAULT = new Limit(1, 5);

    /** The number for a pool of this many Nodes, or racks; at least 1. */
    public int of(int size) {
      return Math.max(1, Math.max(count, (int) ((long) size * percent / 100)));
    }
  }

  /** Whether a running rollout that was started to evict work must stop doing so. */
  public boolean isEvictTakenBack() {
    return !evict;
  }

  /** These settings with another canary. */
  public RolloutSettings withCanary(int nodes, Duration nextSoak) {
    return new RolloutSettings(maxUnavailable, nodes, nextSoak, evict, problem);
  }

  /** These settings with a soak that is shorter by this factor. */
  public RolloutSettings faster(int speed) {
    return withCanary(canary, soak.dividedBy(speed));
  }
}
