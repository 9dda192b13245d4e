package io.nodepool.bench;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.bench.measure.BenchFleet;
import io.nodepool.bench.measure.BenchOptions;
import io.nodepool.bench.measure.Deadline;
import io.nodepool.bench.measure.OperatorChild;
import io.nodepool.bench.measure.ProcessorTimes;
import io.nodepool.bench.measure.QuietPeriod;
import io.nodepool.bench.measure.WriteTotals;
import io.nodepool.bench.report.ShrinkReport;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Measures how one pool with some busy Nodes shrinks on a local cluster. The pool has the strategy
 * PreferIdle: it removes idle Nodes first and drains busy ones where needed. The operator runs in a
 * process of its own, the data centre in this one.
 */
public final class ShrinkBench {
  private static final String POOL = "bench";

  private final BenchOptions options;
  private final int to;
  private final int busy;
  private final Deadline deadline;

  /**
   * Creates the measurement without starting it.
   *
   * @param to the number of Nodes after the shrinking
   * @param busy the number of Nodes with a tenant's Pod
   */
  public ShrinkBench(BenchOptions options, int to, int busy) {
    this.options = options;
    this.to = to;
    this.busy = busy;
    this.deadline = new Deadline(options.longest(), System::nanoTime);
  }

  /**
   * Runs the measurement.
   *
   * @throws BenchFailure if the measurement fails or exceeds its deadline
   */
  public ShrinkReport run() {
    try (BenchCluster cluster = BenchCluster.start(options)) {
      return shrink(cluster);
    }
  }

  private void progress(String line) {
    options.progress().accept(line);
  }

  private ShrinkReport shrink(BenchCluster cluster) {
    int nodes = options.nodes();
    progress("Creating %,d machines ...".formatted(nodes));
    try (BenchFleet fleet = BenchFleet.start(cluster, nodes, deadline);
        OperatorChild operator = OperatorChild.start(options.operator(), cluster, "operator")) {
      deadline.await("the operator is planning", operator::isPlanning);
      progress("Growing a pool to %,d Nodes ...".formatted(nodes));
      cluster.createPool(POOL, nodes, true);
      await(cluster, operator, nodes);
      progress("Binding a Pod to %,d of them ...".formatted(busy));
      List<String> names =
          cluster.nodes().stream().map(node -> node.getMetadata().getName()).sorted().toList();
      names.stream().limit(busy).forEach(name -> cluster.client().resource(work(name)).create());
      deadline.await(
          "%,d Nodes report CWActive".formatted(busy), () -> cluster.busyNodes() == busy);
      QuietPeriod.await(cluster, deadline);

      progress("Shrinking it to %,d Nodes ...".formatted(to));
      WriteTotals before = WriteTotals.now(cluster, operator, fleet);
      Map<String, Duration> timesBefore = ProcessorTimes.now(cluster, operator);
      long begun = System.nanoTime();
      cluster.retarget(POOL, to);
      await(cluster, operator, to);
      long met = cluster.metAt(POOL, to).orElseThrow();
      Map<String, Duration> times = ProcessorTimes.now(cluster, operator);
      QuietPeriod.await(cluster, deadline);
      WriteTotals after = WriteTotals.now(cluster, operator, fleet);
      return new ShrinkReport(
          nodes,
          to,
          busy,
          Duration.ofNanos(met - begun),
          after.writesSince(before),
          after.refusedSince(before),
          ProcessorTimes.since(timesBefore, times),
          operator.peakHeap());
    }
  }

  private void await(BenchCluster cluster, OperatorChild operator, int nodes) {
    operator.await(
        deadline,
        "the pool of %,d Nodes is at its target".formatted(nodes),
        () -> cluster.metAt(POOL, nodes).isPresent());
  }

  /** A tenant's Pod bound to this Node, with a grace period of one second. */
  private static Pod work(String node) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("work-" + node)
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .withTerminationGracePeriodSeconds(1L)
        .addNewToleration()
        .withOperator("Exists")
        .endToleration()
        .addNewContainer()
        .withName("work")
        .withImage("work")
        .endContainer()
        .endSpec()
        .build();
  }
}
