package io.nodepool.bench;

import io.nodepool.bench.measure.Assignments;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.bench.measure.BenchFleet;
import io.nodepool.bench.measure.BenchOptions;
import io.nodepool.bench.measure.Deadline;
import io.nodepool.bench.measure.EndState;
import io.nodepool.bench.measure.LeaseHistory;
import io.nodepool.bench.measure.OperatorChild;
import io.nodepool.bench.measure.QuietPeriod;
import io.nodepool.bench.report.TakeoverReport;
import java.time.Duration;
import java.util.List;

/**
 * Measures how a waiting replica takes over in the middle of a growth, once after the leader got
 * SIGKILL and, in a second growth of the same pool, once after SIGTERM.
 */
public final class TakeoverBench {
  private static final String POOL = "bench";
  private static final Duration OFTEN = Duration.ofMillis(10);

  /** Each read of a replica's metrics costs it processor time, so they are read rarely. */
  private static final Duration SCRAPE_EVERY = Duration.ofMillis(50);

  private final BenchOptions options;
  private final Deadline deadline;

  /** Creates the measurement without starting it. */
  public TakeoverBench(BenchOptions options) {
    this.options = options;
    this.deadline = new Deadline(options.longest(), System::nanoTime);
  }

  /**
   * Runs the measurement.
   *
   * @throws BenchFailure if the measurement fails or exceeds its deadline
   */
  public TakeoverReport run() {
    try (BenchCluster cluster = BenchCluster.start(options)) {
      return measure(cluster);
    }
  }

  private void progress(String line) {
    options.progress().accept(line);
  }

  private TakeoverReport measure(BenchCluster cluster) {
    int nodes = options.nodes();
    progress("Creating %,d machines ...".formatted(2 * nodes));
    try (BenchFleet _ = BenchFleet.start(cluster, 2 * nodes, deadline);
        Assignments assignments = new Assignments(cluster);
        OperatorChild first = OperatorChild.start(options.operator(), cluster, "first")) {
      deadline.await("the first replica is planning", first::isPlanning);
      try (OperatorChild second = OperatorChild.start(options.operator(), cluster, "second")) {
        deadline.await("the second replica is ready", second::isReady);
        progress("Growing by %,d Nodes; the leader gets SIGKILL at half ...".formatted(nodes));
        cluster.createPool(POOL, nodes);
        awaitHalf(assignments, nodes / 2);
        long killed = System.nanoTime();
        first.kill();
        Duration afterKill = awaitFirstWrite(second, killed);
        awaitTarget(cluster, nodes, second);
        return stop(cluster, assignments, second, afterKill);
      }
    }
  }

  private TakeoverReport stop(
      BenchCluster cluster, Assignments assignments, OperatorChild second, Duration afterKill) {
    int nodes = options.nodes();
    try (LeaseHistory lease = new LeaseHistory(cluster);
        OperatorChild third = OperatorChild.start(options.operator(), cluster, "third")) {
      deadline.await("the third replica is ready", third::isReady);
      progress("Growing by %,d more; the leader gets SIGTERM at half ...".formatted(nodes));
      cluster.retarget(POOL, 2 * nodes);
      awaitHalf(assignments, nodes + nodes / 2);
      long stopped = System.nanoTime();
      second.stop();
      Duration afterStop = awaitFirstWrite(third, stopped);
      boolean givenBack = lease.wasTakenAfterItWasGivenBack("third");
      second.awaitEnd();
      awaitTarget(cluster, 2 * nodes, third);
      return new TakeoverReport(
          nodes, afterKill, afterStop, givenBack, wrongAtTheEnd(cluster, 2 * nodes));
    }
  }

  private void awaitHalf(Assignments assignments, int half) {
    deadline.await("half of the Hosts are assigned", OFTEN, () -> assignments.count() >= half);
  }

  private Duration awaitFirstWrite(OperatorChild replica, long since) {
    deadline.await("the waiting replica writes", SCRAPE_EVERY, () -> replica.writesSoFar() > 0);
    return Duration.ofNanos(System.nanoTime() - since);
  }

  private void awaitTarget(BenchCluster cluster, int nodes, OperatorChild leader) {
    leader.await(
        deadline,
        "the pool of %,d Nodes is at its target".formatted(nodes),
        () -> cluster.metAt(POOL, nodes).isPresent());
  }

  /** Events may follow the status shortly, so the check waits until the cluster is at rest. */
  private List<String> wrongAtTheEnd(BenchCluster cluster, int nodes) {
    QuietPeriod.await(cluster, deadline);
    return EndState.of(cluster, POOL).wrong(nodes, 2);
  }
}
