package io.nodepool.health;

import io.nodepool.health.catalogue.Grade;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * The alert groups of one rack and its machines at an instant, folded from their active alerts.
 * Alerts that began on enough machines within a short time, and alerts about the rack itself, are
 * one group of the rack. A symptom belongs to the group of its cause, on the same machine or on
 * another one of its NVLink domain.
 *
 * @param rack the group of the rack
 * @param hosts the alert groups of machines, by the names of their Hosts
 * @param symptoms the causes of the symptoms on each machine, by the names of the Hosts and of the
 *     symptoms
 */
public record RackHealth(
    Optional<AlertGroup> rack,
    SortedMap<String, AlertGroup> hosts,
    SortedMap<String, SortedMap<String, Cause>> symptoms) {
  /** The greatest number of alerts in a chain of symptoms; a longer chain is cut. */
  private static final int MOST_STEPS = 4;

  /** The least number of machines on which an alert is a group of the rack (decision D287). */
  private static final int LEAST = 3;

  /** The time within which it begins on these machines. */
  private static final Duration WINDOW = Duration.ofMinutes(5);

  /** An alert that has a symptom, and the name of the Host that it is about. */
  public record Cause(String alert, String host) {}

  /** No group. */
  public static final RackHealth NONE =
      new RackHealth(Optional.empty(), new TreeMap<>(), new TreeMap<>());

  public RackHealth {
    hosts = Collections.unmodifiableSortedMap(new TreeMap<>(hosts));
    symptoms = Collections.unmodifiableSortedMap(new TreeMap<>(symptoms));
  }

  /** The causes of the symptoms on this machine. */
  public SortedMap<String, Cause> symptoms(String host) {
    return symptoms.getOrDefault(host, Collections.emptySortedMap());
  }

  /**
   * The number of machines, in a rack of this size, on which an alert must be active to be a group
   * of the rack: half of them.
   */
  public static int enough(int machines) {
    return Math.max(LEAST, Math.ceilDiv(machines, 2));
  }

  /** All alert groups: the group of the rack first, then by Host. */
  public Stream<AlertGroup> all() {
    return Stream.concat(rack.stream(), hosts.values().stream());
  }

  /**
   * The alert groups of a rack.
   *
   * @param trays all its machines, by the names of their Hosts
   * @param own the alerts that the operator itself found about the rack
   */
  public static RackHealth of(
      SortedMap<String, Tray> trays, List<StandingAlert> own, HealthSettings settings) {
    List<Found> found = found(trays, own);
    if (found.isEmpty()) {
      return NONE;
    }
    Set<String> common = common(found, enough(trays.size()), WINDOW.dividedBy(settings.speed()));
    List<GroupedAlert> ofRack = new ArrayList<>();
    SortedMap<String, List<GroupedAlert>> byHost = new TreeMap<>();
    SortedMap<String, SortedMap<String, Cause>> symptoms = new TreeMap<>();
    for (Found each : found) {
      Found cause = each.root(found);
      boolean symptom = !cause.equals(each);
      List<GroupedAlert> group =
          !cause.isOfOneHost() || common.contains(cause.name())
              ? ofRack
              : byHost.computeIfAbsent(cause.host(), _ -> new ArrayList<>());
      group.add(new GroupedAlert(each.host(), each.alert(), symptom));
      if (symptom) {
        symptoms
            .computeIfAbsent(each.host(), _ -> new TreeMap<>())
            .put(each.name(), new Cause(cause.name(), cause.host()));
      }
    }
    SortedMap<String, AlertGroup> hosts = new TreeMap<>();
    byHost.forEach((host, alerts) -> hosts.put(host, new AlertGroup(Optional.of(host), alerts)));
    return new RackHealth(
        ofRack.isEmpty() ? Optional.empty() : Optional.of(new AlertGroup(Optional.empty(), ofRack)),
        hosts,
        symptoms);
  }

  /** Leaves out alerts of grade none: they report faults that are over. */
  private static List<Found> found(SortedMap<String, Tray> trays, List<StandingAlert> own) {
    List<Found> found = new ArrayList<>();
    own.forEach(alert -> found.add(new Found("", "", alert)));
    trays.forEach((host, tray) ->
        tray.standing().stream()
            .filter(alert -> alert.alert().grade() != Grade.NONE)
            .forEach(alert -> found.add(new Found(host, tray.domain(), alert))));
    return found;
  }

  /** The names of the alerts about machines that began on enough of them within the window. */
  private static Set<String> common(List<Found> found, int enough, Duration window) {
    Map<String, List<Instant>> began =
        found.stream()
            .filter(Found::isOfOneHost)
            .collect(
                Collectors.groupingBy(
                    Found::name,
                    Collectors.mapping(each -> each.alert().since(), Collectors.toList())));
    return began.entrySet().stream()
        .filter(each -> beganTogether(each.getValue(), enough, window))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  private static boolean beganTogether(List<Instant> began, int enough, Duration window) {
    List<Instant> byTime = began.stream().sorted().toList();
    return IntStream.rangeClosed(0, byTime.size() - enough)
        .anyMatch(first -> !byTime.get(first + enough - 1).isAfter(byTime.get(first).plus(window)));
  }

  /** An alert with the machine that it is about. */
  private record Found(String host, String domain, StandingAlert alert) {
    String name() {
      return alert.name();
    }

    boolean isOfOneHost() {
      return !host.isEmpty() && alert.alert().subject().isOfOneHost();
    }

    /** The root cause of this symptom; the alert itself if it is no symptom. */
    Found root(List<Found> all) {
      Found root = this;
      for (int step = 0; step < MOST_STEPS; step++) {
        Optional<Found> next = root.cause(all);
        if (next.isEmpty() || next.get().equals(this)) {
          return root;
        }
        root = next.get();
      }
      return root;
    }

    /** The direct cause of this symptom: on its machine, else the earliest of its NVLink domain. */
    private Optional<Found> cause(List<Found> all) {
      SortedSet<String> names = alert.alert().symptomOf();
      return names.isEmpty()
          ? Optional.empty()
          : all.stream()
              .filter(each -> names.contains(each.name()))
              // An alert that no source confirms is no cause.
              .filter(each -> each.alert().state() != StandingAlert.State.STALE)
              .filter(each ->
                  each.host().equals(host) || (!domain.isEmpty() && each.domain().equals(domain)))
              .min(
                  Comparator.comparing((Found each) -> !each.host().equals(host))
                      .thenComparing(each -> each.alert().since())
                      .thenComparing(Found::host));
    }
  }
}
