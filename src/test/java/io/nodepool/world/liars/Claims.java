package io.nodepool.world.liars;

import io.nodepool.fleet.Host;
import io.nodepool.health.HostSignals;
import io.nodepool.health.Signal;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.vocabulary.SourceName;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What monitors and the fleet say about machines, as their objects show it. */
final class Claims {
  /**
   * That a source reports an alert about a machine.
   *
   * @param written when its source last wrote it
   * @param ended when that ended; the end of all time while it stands
   */
  record Claim(String host, String alert, String source, Instant written, Instant ended) {
    boolean isOfFleet() {
      return source.equals(SourceName.FLEET);
    }

    boolean stands() {
      return ended.equals(Instant.MAX);
    }
  }

  private final InstantSource clock;

  /** By the name of the Host, then by source and alert. */
  private final Map<String, Map<String, Claim>> all = new HashMap<>();

  /** What the fleet reports, by the name of the Host. */
  private final Map<String, List<Signal>> ofHosts = new HashMap<>();

  /** The catalogue that is in force, and since when. */
  AlertCatalogue catalogue = AlertCatalogue.shipped();

  Instant changed = Instant.MIN;

  Claims(WorldCluster cluster, InstantSource clock) {
    this.clock = clock;
    cluster.watch(this::see, WorldCluster.Kind.HOSTS, WorldCluster.Kind.SIGNALS);
  }

  private void see(Observation seen) {
    switch (seen) {
      case Observation.HostSeen(Host host) -> {
        List<Signal> signals = host.report().signals();
        if (!signals.equals(ofHosts.put(host.id().name(), signals))) {
          note(host.id().name(), signals, true);
        }
      }
      case Observation.SignalsSeen(HostSignals signals) ->
          note(signals.host(), signals.signals(), false);
      case Observation.SignalsGone(String host, String _, long _) -> note(host, List.of(), false);
      default -> {}
    }
  }

  private void note(String host, List<Signal> signals, boolean ofFleet) {
    Map<String, Claim> before = all.computeIfAbsent(host, _ -> new TreeMap<>());
    Instant now = clock.instant();
    Set<String> standing =
        signals.stream()
            .filter(Signal::stands)
            .map(signal -> signal.key().source() + "/" + signal.name())
            .collect(Collectors.toSet());
    before.replaceAll((key, claim) ->
        claim.isOfFleet() == ofFleet && claim.stands() && !standing.contains(key)
            ? new Claim(host, claim.alert(), claim.source(), claim.written(), now)
            : claim);
    signals.stream()
        .filter(Signal::stands)
        .forEach(signal ->
            before.put(
                signal.key().source() + "/" + signal.name(),
                new Claim(host, signal.name(), signal.key().source(), now, Instant.MAX)));
  }

  /** What stands about a machine, or stood so long ago, and asks for a repair. */
  List<Claim> acting(String host, Duration ago) {
    return about(host)
        .filter(claim -> claim.stands() || claim.ended().isAfter(clock.instant().minus(ago)))
        .filter(claim -> acts(claim.alert()))
        .toList();
  }

  private boolean acts(String alert) {
    return catalogue.alert(alert).grade().repairs();
  }

  private Stream<Claim> about(String host) {
    return all.getOrDefault(host, Map.of()).values().stream();
  }

  /** The alerts that the fleet itself reports about a machine. */
  Set<String> ofFleet(String host) {
    return about(host)
        .filter(claim -> claim.isOfFleet() && claim.stands())
        .map(Claim::alert)
        .collect(Collectors.toSet());
  }
}
