package io.nodepool.control.state.machine;

import static java.time.temporal.ChronoUnit.MILLIS;

import io.nodepool.health.DomainSignals;
import io.nodepool.health.Health;
import io.nodepool.health.HealthSettings;
import io.nodepool.health.ObservedBoot;
import io.nodepool.health.ObservedSignal;
import io.nodepool.health.RackHealth;
import io.nodepool.health.RackId;
import io.nodepool.health.Tray;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.repair.RackAlert;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** One rack as this operator has observed it, and its alert groups. */
final class RackWatch {
  /** A rack has no boot. */
  private static final ObservedBoot NO_BOOT =
      new ObservedBoot("", Optional.empty(), Instant.EPOCH, Optional.empty());

  private final SortedMap<String, Tray> trays = new TreeMap<>();
  private final ObservedSignals own = new ObservedSignals();
  private RackHealth now = RackHealth.NONE;
  private Optional<Instant> changesAt = Optional.empty();
  private List<RackAlert.Found> found = List.of();

  /** Its alert groups, as last observed. */
  RackHealth now() {
    return now;
  }

  /** The alerts that this operator itself finds about the rack. */
  List<RackAlert.Found> found() {
    return found;
  }

  /** When the alert groups change without an observation; empty if they do not. */
  Optional<Instant> changesAt() {
    return changesAt;
  }

  boolean isEmpty() {
    return trays.isEmpty();
  }

  /** Puts a machine in its place. Returns whether this may change the alert groups. */
  boolean put(String host, Tray tray) {
    boolean changes = !tray.equals(trays.put(host, tray));
    return changes || !own.all().isEmpty();
  }

  void remove(String host) {
    trays.remove(host);
  }

  Iterable<String> hosts() {
    return trays.keySet();
  }

  /** Brings the alert groups up to date. */
  void assess(RackId id, AlertCatalogue catalogue, HealthSettings settings, Instant at) {
    own.observe(
        DomainSignals.of(trays.values(), at),
        at,
        settings.clear(),
        signal -> new ObservedSignal(signal, at, Optional.empty()));
    Health health = Health.of(own.all(), NO_BOOT, catalogue, settings, at);
    now = RackHealth.of(trays, health.standing(), settings);
    changesAt = health.changesAt();
    found =
        own.all().stream()
            .map(each ->
                new RackAlert.Found(
                    new RackAlert(
                        id.rack(), each.signal().name(), each.since().truncatedTo(MILLIS)),
                    health.find(each.signal().name()).isPresent()))
            .toList();
  }
}
