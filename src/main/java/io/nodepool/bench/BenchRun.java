package io.nodepool.bench;

import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.BenchFleet;
import io.nodepool.bench.measure.BenchOptions;
import io.nodepool.bench.measure.Deadline;
import io.nodepool.bench.measure.OperatorChild;
import io.nodepool.bench.measure.OperatorLaunch;
import io.nodepool.bench.measure.Writes;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.Measured;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** A run of a measurement: its cluster, and the operator and the data centre that it starts. */
public record BenchRun(BenchOptions options, BenchCluster cluster, Deadline deadline) {
  /** The name of the measured pool. */
  public static final String POOL = "bench";

  private static final Duration QUIET = Duration.ofSeconds(3);

  /** Runs a measurement on a cluster that is started for it and removed afterwards. */
  public static BenchReport of(BenchOptions options, Measurement measurement) {
    try (BenchCluster cluster = BenchCluster.start(options)) {
      return measurement.measure(
          new BenchRun(options, cluster, new Deadline(options.longest(), System::nanoTime)));
    }
  }

  /** The number of Nodes that the measurement is about. */
  public int nodes() {
    return options.nodes();
  }

  /** Reports a step to the user at the terminal. */
  public void progress(String line) {
    options.progress().accept(line);
  }

  /** Waits for something. */
  public void await(String what, BooleanSupplier condition) {
    deadline.await(what, condition);
  }

  /** Waits for a period in which the API server carries out no write except to Leases. */
  public void rest() {
    deadline.awaitSame(
        "the cluster is at rest",
        QUIET,
        () -> Optional.of(Writes.ofServer(cluster.metrics()).total()));
  }

  /** Runs a function with a data centre in this process, and an operator that plans in another. */
  public <T> T operated(int machines, Function<Operated, T> what) {
    return operated(machines, options.operator(), what);
  }

  /** The same, with an operator of this launch. */
  public <T> T operated(int machines, OperatorLaunch launch, Function<Operated, T> what) {
    progress("Creating %,d machines ...".formatted(machines));
    try (BenchFleet fleet = BenchFleet.start(cluster, machines, deadline);
        OperatorChild operator = OperatorChild.start(launch, cluster, Measured.OPERATOR)) {
      await("the operator is planning", operator::isPlanning);
      return what.apply(new Operated(this, fleet, operator));
    }
  }

  /** Starts an operator. */
  public OperatorChild operator(String name) {
    return OperatorChild.start(options.operator(), cluster, name);
  }

  /** Waits until the pool is at a target, while this operator lives. */
  public void awaitTarget(OperatorChild operator, int nodes) {
    operator.await(
        deadline,
        "the pool of %,d Nodes is at its target".formatted(nodes),
        () -> cluster.metAt(POOL, nodes).isPresent());
  }
}
