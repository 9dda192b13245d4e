package io.nodepool.bench;

import io.nodepool.bench.measure.BenchFleet;
import io.nodepool.bench.measure.EndState;
import io.nodepool.bench.measure.LeaseHistory;
import io.nodepool.bench.measure.OperatorChild;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.watch.KindWatch;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Measures how a waiting replica takes over in the middle of a growth, once after the leader got
 * SIGKILL and, in a second growth of the same pool, once after SIGTERM.
 */
public final class TakeoverBench implements Measurement {
  private static final Duration OFTEN = Duration.ofMillis(10);

  /** Each read of a replica's metrics costs it processor time, so they are read rarely. */
  private static final Duration SCRAPE_EVERY = Duration.ofMillis(50);

  /**
   * The results of the two take-overs.
   *
   * @param afterKill from SIGKILL to the first write of the waiting replica
   * @param afterStop from SIGTERM to that write
   * @param leaseGivenBack whether the replica that got SIGTERM released its Lease
   * @param wrong duplicated or missing objects at the end, in sentences
   */
  record TakenOver(
      Duration afterKill, Duration afterStop, boolean leaseGivenBack, List<String> wrong) {
    BenchReport report(int nodes) {
      return new BenchReport(
              "At half of a growth by %,d Nodes another replica took over, twice.".formatted(nodes))
          .fact("nodes", nodes)
          .time("killSeconds", afterKill, "SIGKILL, until the other replica wrote")
          .time("stopSeconds", afterStop, "SIGTERM, until the other replica wrote")
          .flag(
              "leaseGivenBack",
              leaseGivenBack,
              "The replica that got SIGTERM %s its Lease."
                  .formatted(leaseGivenBack ? "released" : "did not release"))
          .wrong("doubledOrMissing", wrong, "Nothing is duplicated or missing.");
    }
  }

  @Override
  public BenchReport measure(BenchRun run) {
    int nodes = run.nodes();
    run.progress("Creating %,d machines ...".formatted(2 * nodes));
    Set<String> assigned = ConcurrentHashMap.newKeySet();
    try (BenchFleet _ = BenchFleet.start(run.cluster(), 2 * nodes, run.deadline());
        KindWatch<HostResource> _ = run.cluster().watchHosts(host -> note(host, assigned));
        OperatorChild first = run.operator("first")) {
      run.await("the first replica is planning", first::isPlanning);
      try (OperatorChild second = run.operator("second")) {
        run.await("the second replica is ready", second::isReady);
        run.progress("Growing by %,d Nodes; the leader gets SIGKILL at half ...".formatted(nodes));
        run.cluster().createPool(BenchRun.POOL, nodes);
        awaitHalf(run, assigned, nodes / 2);
        long killed = System.nanoTime();
        first.kill();
        Duration afterKill = awaitFirstWrite(run, second, killed);
        run.awaitTarget(second, nodes);
        return stop(run, assigned, second, afterKill).report(nodes);
      }
    }
  }

  private static TakenOver stop(
      BenchRun run, Set<String> assigned, OperatorChild second, Duration afterKill) {
    int nodes = run.nodes();
    try (LeaseHistory lease = new LeaseHistory(run.cluster());
        OperatorChild third = run.operator("third")) {
      run.await("the third replica is ready", third::isReady);
      run.progress("Growing by %,d more; the leader gets SIGTERM at half ...".formatted(nodes));
      run.cluster().retarget(BenchRun.POOL, 2 * nodes);
      awaitHalf(run, assigned, nodes + nodes / 2);
      long stopped = System.nanoTime();
      second.stop();
      Duration afterStop = awaitFirstWrite(run, third, stopped);
      boolean givenBack = lease.wasTakenAfterItWasGivenBack("third");
      second.awaitEnd();
      run.awaitTarget(third, 2 * nodes);
      // Events may follow the status shortly.
      run.rest();
      List<String> wrong = EndState.of(run.cluster(), BenchRun.POOL).wrong(2 * nodes, 2);
      return new TakenOver(afterKill, afterStop, givenBack, wrong);
    }
  }

  /** Notes a Host that is assigned; it stays so, since the pool only grows. */
  private static void note(HostResource host, Set<String> assigned) {
    if (host.getSpec().assignment != null) {
      assigned.add(host.getMetadata().getName());
    }
  }

  private static void awaitHalf(BenchRun run, Set<String> assigned, int half) {
    run.deadline().await("half of the Hosts are assigned", OFTEN, () -> assigned.size() >= half);
  }

  private static Duration awaitFirstWrite(BenchRun run, OperatorChild replica, long since) {
    run.deadline()
        .await("the waiting replica writes", SCRAPE_EVERY, () -> replica.writesSoFar() > 0);
    return Duration.ofNanos(System.nanoTime() - since);
  }
}
