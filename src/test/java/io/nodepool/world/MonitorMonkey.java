package io.nodepool.world;

import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** A monitor that reports alerts about machines at random moments, true ones and false ones. */
final class MonitorMonkey {
  private static final List<String> ALERTS =
      List.of(
          "GPUFallenOffBus",
          "NodeGPUNVLinkDown",
          "GPUTimeoutError",
          "DPUUnexpectedPuntedRoutes",
          "GPUNVLinkSWDefinedError",
          "DPURouteCountMismatch",
          "GPUVeryHot",
          "NodeMemoryError");

  private final Drill drill;
  private final WorldCluster cluster;
  private final SplittableRandom random;

  MonitorMonkey(Drill drill, SplittableRandom random) {
    this.drill = drill;
    this.cluster = drill.world.cluster();
    this.random = random;
  }

  /** Reports an alert about any machine, and that it ended after some time. */
  void alert() {
    List<String> hosts = List.copyOf(cluster.hosts().keySet());
    report(hosts.get(random.nextInt(hosts.size())), any(), minutes(90));
  }

  /** Reports one alert about all machines, for a while. */
  void falseAlarm() {
    String alert = any();
    Duration lasts = minutes(40);
    List.copyOf(cluster.hosts().keySet()).forEach(host -> report(host, alert, lasts));
  }

  private String any() {
    return ALERTS.get(random.nextInt(ALERTS.size()));
  }

  private Duration minutes(int atMost) {
    return Duration.ofSeconds(10 + random.nextInt(atMost * 60));
  }

  private void report(String host, String alert, Duration lasts) {
    SignalKey key = new SignalKey("dcgm", "host", alert);
    cluster.signals().report(host, Signal.standing(key, drill.world.instant()));
    drill.world.later(lasts, () -> cluster.signals().withdraw(host, key));
  }

  /** The user of a pool allows that work ends for repairs, or takes that back. */
  void turn(String pool) {
    drill
        .pool(pool)
        .edit(spec -> {
          PoolSpec.Lifecycle last = spec.lifecycle();
          return spec.withLifecycle(
              last.withDisableUnhealthyNodeEviction(!last.disableUnhealthyNodeEviction()));
        });
  }

  /** Takes back everything that was reported. */
  void withdrawAll() {
    List.copyOf(cluster.hosts().keySet()).forEach(cluster.signals()::delete);
  }
}
