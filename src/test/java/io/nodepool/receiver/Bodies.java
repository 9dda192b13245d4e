package io.nodepool.receiver;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Bodies as Alertmanager 0.28 posts them to a webhook. */
public final class Bodies {
  private Bodies() {}

  /** A notification of these alerts. */
  public static String of(String... alerts) {
    return of(List.of(alerts));
  }

  /** The same of a list. */
  public static String of(List<String> alerts) {
    return """
    {"receiver": "nodepool", "status": "firing", "alerts": [%s],
     "groupLabels": {"alertname": "GPUFallenOffBus"}, "commonLabels": {"job": "dcgm"},
     "commonAnnotations": {}, "externalURL": "http://alertmanager:9093", "version": "4",
     "groupKey": "{}:{alertname=\\"GPUFallenOffBus\\"}", "truncatedAlerts": 0}
    """
        .formatted(String.join(",\n", alerts));
  }

  /** An alert that fires since this time; labels are written {@code name=value}. */
  public static String firing(String since, String... labels) {
    return alert("firing", since, "0001-01-01T00:00:00Z", labels);
  }

  /** One that was over at this time. */
  public static String resolved(String since, String end, String... labels) {
    return alert("resolved", since, end, labels);
  }

  private static String alert(String status, String since, String end, String... labels) {
    return """
    {"status": "%s", "labels": {%s}, "annotations": {"summary": "Xid 79 on GPU 3"},
     "startsAt": "%s", "endsAt": "%s", "generatorURL": "http://prometheus:9090/graph",
     "fingerprint": "1a30ba71cca2921f"}\
    """
        .formatted(
            status,
            Stream.of(labels)
                .map(label -> label.split("=", 2))
                .map(parts -> "\"%s\": \"%s\"".formatted(parts[0], parts[1]))
                .collect(Collectors.joining(", ")),
            since,
            end);
  }

  /** The alerts of a notification. */
  static List<ReceivedAlert> alerts(String... alerts) {
    try {
      return read(of(alerts)).alerts();
    } catch (IOException | Notification.Malformed e) {
      throw new IllegalStateException(e);
    }
  }

  static Notification read(String body) throws IOException, Notification.Malformed {
    return Notification.read(new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8)), 1000);
  }
}
