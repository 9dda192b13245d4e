package io.nodepool.plugin.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.health.HealthSettings;
import io.nodepool.health.SignalKey;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.vocabulary.SourceName;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A stored signal about a machine; a text that is missing is empty.
 *
 * @param since since when its source has observed it
 * @param ended when it ended; empty while it is active
 * @param isStale whether it is active, but its source sent no heartbeat for long
 */
public record SignalReading(
    SignalKey key, String since, String ended, String message, boolean isStale) {
  /** The strongest first, ended signals last. */
  private static final Comparator<SignalReading> ORDER =
      Comparator.comparing(SignalReading::isEnded)
          .thenComparing(each -> each.alert().grade(), Comparator.reverseOrder())
          .thenComparing(SignalReading::key);

  /** Whether it has ended. */
  public boolean isEnded() {
    return !ended.isEmpty();
  }

  /** The suffix of its name if it does not count. */
  public String mark() {
    return isEnded() ? " (ended)" : isStale ? " (stale)" : "";
  }

  /** The word for its grade, with a note if the catalogue does not contain the alert. */
  public String gradeWord() {
    return alert().grade().word() + (alert().isKnown() ? "" : " (unknown name)");
  }

  /** Its alert in the shipped catalogue. */
  public Alert alert() {
    return AlertCatalogue.shipped().alert(key.name());
  }

  /**
   * The signals about a machine.
   *
   * @param host its Host
   * @param signals the reports of monitors about it
   * @param heartbeats the heartbeats of the sources
   */
  public static List<SignalReading> of(
      JsonNode host, JsonNode signals, Map<String, String> heartbeats, Instant now) {
    List<SignalReading> found = new ArrayList<>();
    for (JsonNode each : host.at("/status/signals")) {
      found.add(
          new SignalReading(
              new SignalKey(
                  SourceName.FLEET,
                  each.path("component").asText(SignalKey.HOST),
                  each.path("name").asText("")),
              each.path("observedAt").asText(""),
              "",
              each.path("message").asText(""),
              false));
    }
    signals
        .at("/spec/signals")
        .properties()
        .forEach(entry ->
            SignalKey.reported(entry.getKey())
                .ifPresent(key -> found.add(monitored(key, entry.getValue(), heartbeats, now))));
    found.sort(ORDER);
    return found;
  }

  private static SignalReading monitored(
      SignalKey key, JsonNode entry, Map<String, String> heartbeats, Instant now) {
    String since = entry.path("since").asText("");
    String ended = entry.path("endedAt").asText("");
    Duration silence = AlertCatalogue.shipped().silence(key.source());
    boolean isHeard =
        Stream.of(since, heartbeats.getOrDefault(key.source(), ""))
            .flatMap(each -> ObjectFacts.readableTime(each).stream())
            .filter(at -> !at.isAfter(now.plus(HealthSettings.DEFAULTS.skew())))
            .anyMatch(at -> at.plus(silence).isAfter(now));
    return new SignalReading(
        key, since, ended, entry.path("message").asText(""), ended.isEmpty() && !isHeard);
  }
}
