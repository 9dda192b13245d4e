package io.nodepool.bench;

import io.nodepool.bench.report.BenchReport;

/** A measurement on a cluster of its own, with a report. */
@FunctionalInterface
public interface Measurement {
  /**
   * Runs the measurement.
   *
   * @throws io.nodepool.bench.measure.BenchFailure if it fails or exceeds its deadline
   */
  BenchReport measure(BenchRun run);
}
