package io.nodepool.cli.dev;

import io.nodepool.cli.view.PoolView;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Duration;

/** Lines of plain text about pools. Pure. */
final class BoardText {
  private BoardText() {}

  /** A pool in one line, for output that cannot be redrawn. */
  static String line(PoolView pool) {
    return "%s: target %d, queued %d, in progress %d, current %d; %s"
        .formatted(
            pool.name(),
            pool.target(),
            pool.queued(),
            pool.inProgress(),
            pool.current(),
            pool.conditions().isEmpty()
                ? "not observed yet"
                : "Validated %s, Capacity %s, Quota %s, AtTarget %s"
                    .formatted(
                        pool.reason(PoolCondition.VALIDATED),
                        pool.reason(PoolCondition.CAPACITY),
                        pool.reason(PoolCondition.QUOTA),
                        pool.reason(PoolCondition.AT_TARGET)));
  }

  /** A duration as text: {@code 37 s}, {@code 2 min 5 s}. */
  static String duration(Duration time) {
    long seconds = Math.max(0, time.plusMillis(500).toSeconds());
    return seconds < 60 ? seconds + " s" : "%d min %d s".formatted(seconds / 60, seconds % 60);
  }
}
