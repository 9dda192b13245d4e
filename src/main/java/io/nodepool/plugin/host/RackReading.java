package io.nodepool.plugin.host;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.health.AlertGroup;
import io.nodepool.health.HealthSettings;
import io.nodepool.health.RackHealth;
import io.nodepool.health.RackId;
import io.nodepool.health.Signal;
import io.nodepool.health.StandingAlert;
import io.nodepool.health.Tray;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.plugin.request.SignalReading;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * The stored signals about machines, folded rack by rack as the operator folds them.
 *
 * @param signals the signals about each machine, the strongest first, by the names of the Hosts
 * @param racks the groups of alerts in each rack
 */
record RackReading(Map<String, List<SignalReading>> signals, SortedMap<RackId, RackHealth> racks) {
  /**
   * Reads the signals about these Hosts.
   *
   * @param monitored the reports of monitors, by the names of the Hosts
   * @param heartbeats the heartbeats of the sources
   */
  static RackReading of(
      List<JsonNode> hosts,
      Map<String, JsonNode> monitored,
      Map<String, String> heartbeats,
      Instant now) {
    Map<String, List<SignalReading>> signals = new HashMap<>();
    SortedMap<RackId, SortedMap<String, Tray>> trays = new TreeMap<>();
    for (JsonNode host : hosts) {
      List<SignalReading> reported =
          SignalReading.of(
              host, monitored.getOrDefault(name(host), host.path("none")), heartbeats, now);
      signals.put(name(host), reported);
      trays
          .computeIfAbsent(rack(host), _ -> new TreeMap<>())
          .put(
              name(host),
              new Tray(
                  host.at("/spec/machine/nvlinkDomain").asText(""),
                  Tray.Place.OTHER,
                  reported.stream()
                      .filter(signal -> !signal.isEnded())
                      .flatMap(RackReading::standing)
                      .toList()));
    }
    SortedMap<RackId, RackHealth> racks = new TreeMap<>();
    trays.forEach((id, of) -> racks.put(id, RackHealth.of(of, List.of(), HealthSettings.DEFAULTS)));
    return new RackReading(signals, racks);
  }

  private static Stream<StandingAlert> standing(SignalReading signal) {
    // The CRD rejects other texts; an older object may have such a text, which is ignored.
    return ObjectFacts.readableTime(signal.since())
        .map(since ->
            new StandingAlert(
                signal.alert(),
                since,
                signal.isStale() ? StandingAlert.State.STALE : StandingAlert.State.STANDS,
                List.of(Signal.standing(signal.key(), since))))
        .stream();
  }

  private static RackId rack(JsonNode host) {
    JsonNode machine = host.at("/spec/machine");
    return new RackId(machine.path("zone").asText(""), machine.path("rack").asText(""));
  }

  /** The name of a Host. */
  static String name(JsonNode host) {
    return host.at("/metadata/name").asText("");
  }

  /**
   * What a signal is a part of: the alert whose symptom it is, or the rack; empty text if it is
   * independent, or has ended.
   */
  String partOf(JsonNode host, SignalReading signal) {
    RackHealth rack = racks.getOrDefault(rack(host), RackHealth.NONE);
    String alert = signal.alert().name();
    if (signal.isEnded()) {
      return "";
    }
    return Optional.ofNullable(rack.symptoms(name(host)).get(alert))
        .map(cause -> "%s on %s".formatted(cause.alert(), cause.host()))
        .orElseGet(() -> isOf(rack.rack(), name(host), alert) ? "rack" : "");
  }

  private static boolean isOf(Optional<AlertGroup> group, String host, String alert) {
    return group.stream()
        .flatMap(each -> each.alerts().stream())
        .anyMatch(each -> each.host().equals(host) && each.alert().name().equals(alert));
  }
}
