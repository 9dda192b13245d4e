package io.nodepool.whatif;

import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Alerts that were listed stand until their machine boots anew or changes its holder: then they
 * end. Their sources go on to report.
 */
final class CuredAlerts {
  /** Well within the time after which a source counts as silent. */
  private static final Duration HEARTBEAT = Duration.ofMinutes(20);

  private final World world;
  private final Map<String, String> boots = new HashMap<>();
  private final List<String> sources;

  CuredAlerts(World world, List<Observation> listed) {
    this.world = world;
    world
        .cluster()
        .hosts()
        .values()
        .forEach(host -> boots.put(host.id().name(), host.report().bootId()));
    this.sources =
        listed.stream()
            .flatMap(each ->
                each instanceof Observation.SourceSeen(var source)
                        && source.heartbeatAt().plus(HEARTBEAT).isAfter(world.instant())
                    ? Optional.of(source.name()).stream()
                    : Optional.<String>empty().stream())
            .toList();
  }

  /** From now on alerts end, and their sources report. */
  void watch() {
    world.cluster().watch(WorldCluster.Kind.HOSTS, this::see);
    // Of those that a boot ended, their source may not have said so yet.
    world.cluster().hosts().values().stream()
        .filter(host -> host.report().boot().at().isPresent())
        .forEach(host -> cure(host.id().name(), host.report().boot().at().get()));
    if (!sources.isEmpty()) {
      world.later(HEARTBEAT, this::beat);
    }
  }

  private void beat() {
    sources.forEach(source -> world.cluster().signals().beat(source));
    world.later(HEARTBEAT, this::beat);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.HostSeen(Host host)) {
      String boot = host.report().bootId();
      if (!boot.equals(boots.put(host.id().name(), boot)) && !boot.isEmpty()) {
        world.later(Duration.ZERO, () -> cure(host.id().name(), Instant.MAX));
      }
    }
  }

  /** Ends the alerts about a Host that began before this. */
  private void cure(String host, Instant before) {
    WorldCluster cluster = world.cluster();
    cluster
        .fleetOwner()
        .signals(
            host,
            cluster.host(host).orElseThrow().report().signals().stream()
                .filter(signal -> !signal.since().isBefore(before))
                .toList());
    cluster.signals().about(host).stream()
        .filter(signal -> signal.since().isBefore(before))
        .forEach(signal -> cluster.signals().withdraw(host, signal.key()));
  }
}
