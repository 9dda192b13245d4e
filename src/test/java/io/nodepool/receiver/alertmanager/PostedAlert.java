package io.nodepool.receiver.alertmanager;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An alert as monitors post it to Alertmanager.
 *
 * @param end empty while it fires
 */
record PostedAlert(
    Map<String, String> labels, String summary, Instant start, Optional<Instant> end) {

  /** One that fires about a Node. */
  static PostedAlert firing(String name, String node, Instant start) {
    return new PostedAlert(
        Map.of("alertname", name, "node", node, "job", "fake-monitor"),
        "seen by a monitor of the test",
        start,
        Optional.empty());
  }

  /** The same with a further label. */
  PostedAlert with(String label, String value) {
    Map<String, String> more = new TreeMap<>(labels);
    more.put(label, value);
    return new PostedAlert(more, summary, start, end);
  }

  /** The same with another summary. */
  PostedAlert saying(String text) {
    return new PostedAlert(labels, text, start, end);
  }

  /** The same once it is over. */
  PostedAlert resolved(Instant at) {
    return new PostedAlert(labels, summary, start, Optional.of(at));
  }

  /** The fields of Alertmanager's API. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new TreeMap<>();
    fields.put("labels", labels);
    fields.put("annotations", Map.of("summary", summary));
    fields.put("startsAt", start.toString());
    end.ifPresent(at -> fields.put("endsAt", at.toString()));
    return fields;
  }
}
