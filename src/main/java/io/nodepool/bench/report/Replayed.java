package io.nodepool.bench.report;

import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * The time of a plain client for the requests of a measured period. Pure.
 *
 * @param processorTimes processor time meanwhile, by process
 */
public record Replayed(Duration time, Map<String, Duration> processorTimes) {
  public Replayed {
    processorTimes = Collections.unmodifiableMap(new TreeMap<>(processorTimes));
  }
}
