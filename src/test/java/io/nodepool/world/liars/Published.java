package io.nodepool.world.liars;

import io.nodepool.model.Observation;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the status of pools said of the alerts that are held, and which machines it named as those
 * that are verified for them. The only place of the liars that reads this form of the status.
 */
final class Published {
  private final InstantSource clock;

  /** Since when each alert is said to be held, by the UID of the pool and the alert. */
  private final Map<String, Map<String, Instant>> held = new HashMap<>();

  /** UIDs of the Hosts that are named as probes, or did not pass, by the pool's UID: until when. */
  private final Map<String, Map<String, Instant>> probes = new HashMap<>();

  Published(WorldCluster cluster, InstantSource clock) {
    this.clock = clock;
    cluster.watch(WorldCluster.Kind.POOLS, this::see);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.PoolSeen(Pool pool)) {
      RepairState repairs = pool.status().repairs();
      Instant now = clock.instant();
      Set<String> alerts =
          repairs.suspects().stream()
              .map(SuspectedAlert::alert)
              .filter(repairs::isStopped)
              .collect(Collectors.toSet());
      Map<String, Instant> since = held.computeIfAbsent(pool.id().uid(), _ -> new HashMap<>());
      since.keySet().retainAll(alerts);
      alerts.forEach(alert -> since.putIfAbsent(alert, now));
      Map<String, Instant> named = probes.computeIfAbsent(pool.id().uid(), _ -> new HashMap<>());
      repairs
          .admitted()
          .filter(each -> each.verifies())
          .ifPresent(each -> named.put(each.hostUid(), now));
      repairs.suspects().stream()
          .flatMap(suspect -> suspect.checks().stream())
          .filter(check -> !check.passed().orElse(true))
          .forEach(check -> named.put(check.hostUid(), now));
    }
  }

  /** Whether an alert is called held, and was so long ago. */
  boolean isHeld(String poolUid, String alert, Duration ago) {
    Instant since = held.getOrDefault(poolUid, Map.of()).getOrDefault(alert, Instant.MAX);
    return !since.isAfter(clock.instant().minus(ago));
  }

  /** Whether a machine is named as one that is verified for an alert, or was a short time ago. */
  boolean isProbe(String poolUid, String hostUid) {
    Instant until = probes.getOrDefault(poolUid, Map.of()).getOrDefault(hostUid, Instant.MIN);
    return until.isAfter(clock.instant().minus(LiarBounds.PROBE));
  }

  /** All that a pool publishes about its repairs, as text. */
  static String text(Pool pool) {
    RepairState repairs = pool.status().repairs();
    return pool.status().conditions().values().stream()
            .map(condition -> condition.message())
            .collect(Collectors.joining(" "))
        + " "
        + repairs.why()
        + " "
        + repairs.names()
        + " "
        + pool.status().failedReboots().names()
        + " "
        + repairs.suspects();
  }
}
