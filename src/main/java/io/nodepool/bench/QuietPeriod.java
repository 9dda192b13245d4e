package io.nodepool.bench;

import io.nodepool.bench.measure.Writes;
import java.time.Duration;

/** Rest after work: the API server carries out no write but Leases for a while. */
public final class QuietPeriod {
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(3);

  private QuietPeriod() {}

  /** Waits for it. */
  public static void await(BenchCluster cluster, Deadline deadline) {
    long[] last = {-1};
    deadline.await(
        "nothing is written any more",
        LONG_ENOUGH,
        () -> {
          long before = last[0];
          last[0] = Writes.ofServer(cluster.metrics()).total();
          return last[0] == before;
        });
  }
}
