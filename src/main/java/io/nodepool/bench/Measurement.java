package io.nodepool.bench;

import io.nodepool.bench.report.BenchReport;

/** A measurement: what is done on a cluster of its own, and what is reported of it. */
@FunctionalInterface
public interface Measurement {
  /**
   * Runs the measurement.
   *
   * @throws io.nodepool.bench.measure.BenchFailure if it fails or exceeds its deadline
   */
  BenchReport measure(BenchRun run);
}
