package io.nodepool.whatif;

import io.nodepool.fleet.Host;
import io.nodepool.health.SignalSource;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.vocabulary.SourceName;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Listed alerts end when their machine boots anew or changes its holder. Their sources continue to
 * report, except sources that are silent now.
 */
final class CuredAlerts {
  /** How often a source reports in the time after which it counts as silent. */
  private static final int BEATS = 2;

  private final World world;
  private final Map<String, String> boots = new HashMap<>();
  private final AlertCatalogue catalogue;
  private final List<SignalSource> sources;

  CuredAlerts(World world, List<Observation> listed) {
    this.world = world;
    world
        .cluster()
        .hosts()
        .values()
        .forEach(host -> boots.put(host.id().name(), host.report().bootId()));
    this.catalogue =
        seen(listed, Observation.CatalogueSeen.class)
            .map(Observation.CatalogueSeen::catalogue)
            .findFirst()
            .orElseGet(AlertCatalogue::shipped);
    this.sources =
        seen(listed, Observation.SourceSeen.class)
            .map(Observation.SourceSeen::source)
            .filter(source ->
                source
                    .heartbeatAt()
                    .plus(catalogue.silence(source.name()))
                    .isAfter(world.instant()))
            .toList();
  }

  private static <T extends Observation> Stream<T> seen(List<Observation> listed, Class<T> kind) {
    return listed.stream().filter(kind::isInstance).map(kind::cast);
  }

  /** From now on alerts end, and their sources report. */
  void watch() {
    world.cluster().watch(WorldCluster.Kind.HOSTS, this::see);
    // A boot may have ended alerts that their source still reports.
    world.cluster().hosts().values().stream()
        .filter(host -> host.report().boot().at().isPresent())
        .forEach(host -> cure(host.id().name(), host.report().boot().at().get()));
    sources.forEach(source -> beat(source.name()));
    if (world.cluster().nodes().values().stream()
        .anyMatch(node -> !node.alerts().others().isEmpty())) {
      confirm();
    }
  }

  private void beat(String source) {
    world.cluster().signals().beat(source);
    world.later(catalogue.silence(source).dividedBy(BEATS), () -> beat(source));
  }

  /** Conditions of Nodes are confirmed one by one. */
  private void confirm() {
    Duration silence = catalogue.silence(SourceName.CONDITIONS);
    List.copyOf(world.cluster().nodes().keySet())
        .forEach(node -> world.cluster().nodeClients().confirm(node, silence));
    world.later(silence.dividedBy(BEATS), this::confirm);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.HostSeen(Host host)) {
      String boot = host.report().bootId();
      if (!boot.equals(boots.put(host.id().name(), boot)) && !boot.isEmpty()) {
        world.later(Duration.ZERO, () -> cure(host.id().name(), Instant.MAX));
      }
    }
  }

  /** Ends the alerts about a Host that began before this instant. */
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
    cluster.nodeClients().takeBack(host, before);
  }
}
