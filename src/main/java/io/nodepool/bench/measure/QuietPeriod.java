package io.nodepool.bench.measure;

import java.time.Duration;

/** A period in which the API server carries out no write except to Leases. */
public final class QuietPeriod {
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(3);

  private QuietPeriod() {}

  /** Waits until such a period has passed. */
  public static void await(BenchCluster cluster, Deadline deadline) {
    long[] last = {-1};
    deadline.await(
        "the cluster is at rest",
        LONG_ENOUGH,
        () -> {
          long before = last[0];
          last[0] = Writes.ofServer(cluster.metrics()).total();
          return last[0] == before;
        });
  }
}
