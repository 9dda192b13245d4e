package io.nodepool.bench.raw;

import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.ProcessorTimes;
import io.nodepool.bench.report.Replayed;
import io.nodepool.kubernetes.client.RequestCounts;
import java.time.Duration;
import java.util.Map;

/**
 * Repeats the requests of a measured period with a plain client, once the measured processes have
 * ended. A smaller mix of the same requests warms it up before.
 */
public final class Replay {
  /** The number of machines of a warm-up, at most. */
  public static final int WARM_UP = 500;

  private Replay() {}

  /**
   * Repeats these requests about a number of machines; controller manager and scheduler are
   * suspended.
   */
  public static Replayed of(
      BenchCluster cluster,
      RawTemplates templates,
      RawLife life,
      RequestCounts requests,
      int machines) {
    cluster.suspendControllers();
    RawClient client = new RawClient(cluster.api(), templates);
    client.prepare();
    int few = Math.min(machines, WARM_UP);
    client.make(life, few, "warm");
    var _ = client.send(RawPlan.of(life, RawPlan.scaled(requests, machines, few), few), "warm");
    client.make(life, machines, "raw");
    Map<String, Duration> before = ProcessorTimes.now(cluster);
    Duration time = client.send(RawPlan.of(life, requests, machines), "raw");
    return new Replayed(time, ProcessorTimes.since(before, ProcessorTimes.now(cluster)));
  }
}
