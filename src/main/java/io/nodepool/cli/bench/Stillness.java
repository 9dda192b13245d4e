package io.nodepool.cli.bench;

import java.time.Duration;

/** Rest after work: the API server carries out no write but Leases for a while. */
final class Stillness {
  private static final Duration LONG_ENOUGH = Duration.ofSeconds(3);

  private Stillness() {}

  /** Waits for it. */
  static void await(BenchCluster cluster, Patience patience) {
    long[] last = {-1};
    patience.await(
        "nothing is written any more",
        LONG_ENOUGH,
        () -> {
          long before = last[0];
          last[0] = Writes.ofServer(cluster.metrics()).total();
          return last[0] == before;
        });
  }
}
