package io.nodepool.bench;

import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.bench.measure.BenchFleet;
import io.nodepool.bench.measure.BenchOptions;
import io.nodepool.bench.measure.Deadline;
import io.nodepool.bench.measure.OperatorChild;
import io.nodepool.bench.measure.ProcessorTimes;
import io.nodepool.bench.measure.QuietPeriod;
import io.nodepool.bench.measure.WriteTotals;
import io.nodepool.bench.report.RolloutReport;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Duration;
import java.util.Map;

/**
 * Measures how one idle pool takes on another configuration in a rollout on a local cluster, on
 * machines that boot and are verified in no time. The operator runs in a process of its own, the
 * data centre in this one.
 */
public final class RolloutBench {
  private static final String POOL = "bench";

  private final BenchOptions options;
  private final int maxUnavailable;
  private final Deadline deadline;

  /**
   * Creates the measurement without starting it.
   *
   * @param maxUnavailable a Node begins only while fewer than this are unavailable
   */
  public RolloutBench(BenchOptions options, int maxUnavailable) {
    this.options = options;
    this.maxUnavailable = maxUnavailable;
    this.deadline = new Deadline(options.longest(), System::nanoTime);
  }

  /**
   * Runs the measurement.
   *
   * @throws BenchFailure if the measurement fails or exceeds its deadline
   */
  public RolloutReport run() {
    try (BenchCluster cluster = BenchCluster.start(options)) {
      return rollOut(cluster);
    }
  }

  private void progress(String line) {
    options.progress().accept(line);
  }

  private RolloutReport rollOut(BenchCluster cluster) {
    int nodes = options.nodes();
    progress("Creating %,d machines ...".formatted(nodes));
    try (BenchFleet fleet = BenchFleet.start(cluster, nodes, deadline);
        OperatorChild operator = OperatorChild.start(options.operator(), cluster, "operator")) {
      deadline.await("the operator is planning", operator::isPlanning);
      progress("Growing a pool to %,d Nodes ...".formatted(nodes));
      cluster.createPool(POOL, nodes);
      operator.await(
          deadline, "the pool is at its target", () -> cluster.metAt(POOL, nodes).isPresent());
      cluster.annotate(
          POOL, PoolAnnotations.ROLLOUT_MAX_UNAVAILABLE.key(), String.valueOf(maxUnavailable));
      String profile = fleet.publish(cluster);
      operator.await(
          deadline, "the configuration is pending", () -> cluster.isPending(POOL, profile));
      cluster.annotate(POOL, PoolAnnotations.PROMOTE.key(), "true");
      operator.await(deadline, "the configuration is staged", () -> cluster.areStaged(profile));
      QuietPeriod.await(cluster, deadline);

      progress("Rolling out %s, at most %,d at once ...".formatted(profile, maxUnavailable));
      WriteTotals before = WriteTotals.now(cluster, operator, fleet);
      Map<String, Duration> timesBefore = ProcessorTimes.now(cluster, operator);
      long begun = System.nanoTime();
      cluster.annotate(POOL, PoolAnnotations.ROLLOUT.key(), "start");
      operator.await(
          deadline,
          "every Node is up to date",
          () -> cluster.upToDateAt(POOL, profile).isPresent());
      long done = cluster.upToDateAt(POOL, profile).orElseThrow();
      Map<String, Duration> times = ProcessorTimes.now(cluster, operator);
      QuietPeriod.await(cluster, deadline);
      WriteTotals after = WriteTotals.now(cluster, operator, fleet);
      return new RolloutReport(
          nodes,
          maxUnavailable,
          Duration.ofNanos(done - begun),
          after.writesSince(before),
          after.refusedSince(before),
          ProcessorTimes.since(timesBefore, times),
          operator.peakHeap());
    }
  }
}
