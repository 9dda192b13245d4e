package io.nodepool.plugin.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.health.SignalKey;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * A signal about a machine as it is stored; a text that it does not have is empty.
 *
 * @param since since when its source has observed it
 * @param ended when it ended; empty while it stands
 */
public record SignalReading(SignalKey key, String since, String ended, String message) {
  /** The strongest first, those that have ended last. */
  private static final Comparator<SignalReading> ORDER =
      Comparator.comparing(SignalReading::isEnded)
          .thenComparing(each -> each.alert().grade(), Comparator.reverseOrder())
          .thenComparing(SignalReading::key);

  /** Whether it stands no more. */
  public boolean isEnded() {
    return !ended.isEmpty();
  }

  /** The word for its grade, and whether that is only because the catalogue does not have it. */
  public String gradeWord() {
    return alert().grade().word() + (alert().isKnown() ? "" : " (unknown name)");
  }

  /** What the catalogue that ships says of it. */
  public Alert alert() {
    return AlertCatalogue.shipped().alert(key.name());
  }

  /**
   * The signals about a machine.
   *
   * @param host its Host
   * @param signals what monitors report about that
   */
  public static List<SignalReading> of(JsonNode host, JsonNode signals) {
    List<SignalReading> found = new ArrayList<>();
    for (JsonNode each : host.at("/status/signals")) {
      found.add(
          new SignalReading(
              new SignalKey(
                  SignalKey.FLEET,
                  each.path("component").asText(SignalKey.HOST),
                  each.path("name").asText("")),
              each.path("observedAt").asText(""),
              "",
              each.path("message").asText("")));
    }
    signals
        .at("/spec/signals")
        .properties()
        .forEach(entry ->
            SignalKey.reported(entry.getKey())
                .ifPresent(key ->
                    found.add(
                        new SignalReading(
                            key,
                            entry.getValue().path("since").asText(""),
                            entry.getValue().path("endedAt").asText(""),
                            entry.getValue().path("message").asText("")))));
    found.sort(ORDER);
    return found;
  }
}
