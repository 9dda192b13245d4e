package io.nodepool.control.state.machine;

import io.nodepool.health.AlertGroup;
import io.nodepool.health.HealthSettings;
import io.nodepool.health.RackHealth;
import io.nodepool.health.RackId;
import io.nodepool.health.Tray;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.health.catalogue.Grade;
import io.nodepool.model.repair.RackAlert;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.StreamSupport;

/**
 * The alert groups of machines and their racks. Work per change of a machine grows with the size of
 * its rack only. Confined to the decision thread.
 */
public final class RackTable {
  /**
   * The properties by which alert groups are counted: whether they are about racks, and their
   * grade.
   */
  public record Counted(boolean ofRack, Grade grade) {}

  private final HealthSettings settings;
  private final Map<RackId, RackWatch> racks = new HashMap<>();

  /** The racks for which this operator itself finds alerts. */
  private final SortedMap<RackId, RackWatch> found = new TreeMap<>();

  private final Map<String, RackId> places = new HashMap<>();
  private final Map<Counted, Integer> counts = new HashMap<>();
  private final TreeMap<Instant, Integer> begun = new TreeMap<>();

  /** A table without racks. */
  public RackTable(HealthSettings settings) {
    this.settings = settings;
  }

  /**
   * Folds what a machine contributes to its rack.
   *
   * @param others receives the names of those machines of its rack whose causes changed
   * @return when the alert groups of the rack change without an observation; the end of time if
   *     they do not
   */
  public Instant changed(
      String host,
      RackId id,
      Tray tray,
      AlertCatalogue catalogue,
      Instant now,
      Consumer<String> others) {
    RackId last = places.put(host, id);
    if (last != null && !last.equals(id)) {
      leave(host, last, catalogue, now, others);
    }
    RackWatch rack = racks.computeIfAbsent(id, _ -> new RackWatch());
    if (rack.put(host, tray)) {
      assess(id, rack, catalogue, now, others);
    }
    return rack.changesAt().orElse(Instant.MAX);
  }

  /** Removes a machine that no longer exists. */
  public void gone(String host, AlertCatalogue catalogue, Instant now, Consumer<String> others) {
    RackId last = places.remove(host);
    if (last != null) {
      leave(host, last, catalogue, now, others);
    }
  }

  private void leave(
      String host, RackId id, AlertCatalogue catalogue, Instant now, Consumer<String> others) {
    RackWatch rack = racks.get(id);
    if (rack != null) {
      rack.remove(host);
      assess(id, rack, catalogue, now, others);
      if (rack.isEmpty()) {
        racks.remove(id);
        found.remove(id);
      }
    }
  }

  private void assess(
      RackId id, RackWatch rack, AlertCatalogue catalogue, Instant now, Consumer<String> others) {
    RackHealth before = rack.now();
    List<RackAlert.Found> foundBefore = rack.found();
    rack.assess(id, catalogue, settings, now);
    RackHealth after = rack.now();
    if (!rack.found().equals(foundBefore)) {
      rack.hosts().forEach(others);
      found.put(id, rack);
    }
    if (rack.found().isEmpty()) {
      found.remove(id);
    }
    if (after.equals(before)) {
      return;
    }
    before.all().forEach(group -> count(group, -1));
    after.all().forEach(group -> count(group, 1));
    for (String host : rack.hosts()) {
      if (!before.symptoms(host).equals(after.symptoms(host))) {
        others.accept(host);
      }
    }
  }

  private void count(AlertGroup group, int more) {
    CountsByKey.add(counts, new Counted(group.host().isEmpty(), group.grade()), more);
    CountsByKey.add(begun, group.since(), more);
  }

  /** When the alert groups of the rack of a machine change without an observation. */
  public Optional<Instant> changesAt(String host) {
    return Optional.ofNullable(places.get(host)).map(racks::get).flatMap(RackWatch::changesAt);
  }

  /**
   * The alerts that this operator itself finds about racks.
   *
   * @param which whether a rack with this machine counts
   */
  public List<RackAlert.Found> found(Predicate<String> which) {
    return found.values().stream()
        .filter(rack -> StreamSupport.stream(rack.hosts().spliterator(), false).anyMatch(which))
        .flatMap(rack -> rack.found().stream())
        .toList();
  }

  /** The causes of a machine's alerts that were found in its rack. */
  public SortedMap<String, RackHealth.Cause> symptoms(String host) {
    return Optional.ofNullable(places.get(host))
        .flatMap(id -> Optional.ofNullable(racks.get(id)))
        .map(rack -> rack.now().symptoms(host))
        .orElse(Collections.emptySortedMap());
  }

  /** The number of alert groups, without zeros. */
  public Map<Counted, Integer> counts() {
    return Map.copyOf(counts);
  }

  /**
   * The racks with alert groups, those with the most first.
   *
   * @param limit how many racks at most
   */
  public List<Map.Entry<RackId, Long>> most(int limit) {
    return racks.entrySet().stream()
        .map(each -> Map.entry(each.getKey(), each.getValue().now().all().count()))
        .filter(each -> each.getValue() > 0)
        .sorted(
            Map.Entry.<RackId, Long>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry.comparingByKey()))
        .limit(limit)
        .toList();
  }

  /** When the oldest alert group began; empty if there is none. */
  public Optional<Instant> oldest() {
    return begun.isEmpty() ? Optional.empty() : Optional.of(begun.firstKey());
  }
}
