package io.nodepool.receiver;

import java.time.Instant;
import java.util.Map;
import java.util.Set;

/**
 * An alert of a notification: what is read of it.
 *
 * @param labels those of {@link #LABELS} that it has
 * @param annotations those of {@link #ANNOTATIONS} that it has
 * @param endsAt when it ended; if it is firing, nothing is said
 */
record ReceivedAlert(
    boolean firing,
    Map<String, String> labels,
    Map<String, String> annotations,
    Instant startsAt,
    Instant endsAt) {
  /** The labels that are read; all others are skipped, so that an alert takes little memory. */
  static final Set<String> LABELS =
      Set.of(
          "alertname",
          "node",
          "Hostname",
          "instance",
          "host",
          "serial",
          "component",
          "gpu",
          "device",
          "severity");

  /** The annotations that are read. */
  static final Set<String> ANNOTATIONS = Set.of("summary", "description", "message");

  ReceivedAlert {
    labels = Map.copyOf(labels);
    annotations = Map.copyOf(annotations);
  }

  /** The value of a label; empty text if it has none. */
  String label(String name) {
    return labels.getOrDefault(name, "");
  }
}
