package io.nodepool.control;

import io.nodepool.control.write.BackOff;
import io.nodepool.health.HealthSettings;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * The settings of the loops.
 *
 * @param betweenPlans shortest time between two plans of one pool; a repair that is planned before
 *     all alerts of a monitor have arrived does not know how many machines the monitor reports
 *     about
 * @param betweenStatuses shortest time between two status writes of one pool
 * @param backOff the waits after a failed write, and before a successful write is repeated
 * @param health when signals about machines begin and end to count
 * @param exceptions the reserved keys that specs may set
 */
@RecordBuilder
public record LoopSettings(
    Duration betweenPlans,
    Duration betweenStatuses,
    BackOff backOff,
    HealthSettings health,
    KeyExceptions exceptions)
    implements LoopSettingsCopy.With {
  /** These durations, with defaults for all other settings. */
  public LoopSettings(Duration betweenPlans, Duration betweenStatuses, BackOff backOff) {
    this(betweenPlans, betweenStatuses, backOff, HealthSettings.DEFAULTS, KeyExceptions.NONE);
  }

  /** The product's defaults. */
  public static final LoopSettings DEFAULTS =
      new LoopSettings(Duration.ofMillis(200), Duration.ofMillis(500), BackOff.DEFAULTS);
}
