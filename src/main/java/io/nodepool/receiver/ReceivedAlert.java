package io.nodepool.receiver;

import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.vocabulary.UserText;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The used parts of an alert in a notification, and their conversion to a signal (decisions D276
 * and D277).
 *
 * @param labels its labels that are in {@link #LABELS}
 * @param annotations its annotations that are in {@link #ANNOTATIONS}
 * @param endsAt when it ended; without meaning if it is firing
 */
record ReceivedAlert(
    boolean firing,
    Map<String, String> labels,
    Map<String, String> annotations,
    Instant startsAt,
    Instant endsAt) {
  /** The source of all signals that come from Alertmanager. */
  static final String SOURCE = "alertmanager";

  private static final int LONGEST_NAME = 100;
  private static final int LONGEST_COMPONENT = 40;
  private static final int LONGEST_SEVERITY = 32;

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

  /** The value of a label; empty text if it is absent. */
  String label(String name) {
    return labels.getOrDefault(name, "");
  }

  /** The name of an alert's machine: the value of a label, and whether it is a serial number. */
  record MachineName(String text, boolean isSerial) {
    /** The name without its port, if it has one. */
    String withoutPort() {
      return text.replaceFirst(":[0-9]{1,5}$", "");
    }
  }

  /**
   * The name of its machine: the first of the labels node, Hostname, instance, host and serial that
   * the alert has; empty if it has none. Later labels are ignored, so that no other machine is
   * guessed. Hostname is the label of dcgm-exporter, whose instance is the address of its Pod.
   */
  Optional<MachineName> machine() {
    return Stream.of("node", "Hostname", "instance", "host", "serial")
        .filter(label -> !label(label).isEmpty())
        .findFirst()
        .map(label -> new MachineName(label(label), label.equals("serial")));
  }

  /** The key of its signal; empty if it has no name. */
  Optional<SignalKey> key() {
    String name = safe(label("alertname"), LONGEST_NAME);
    return name.isEmpty()
        ? Optional.empty()
        : SignalKey.parse(new SignalKey(SOURCE, component(), name).text());
  }

  /**
   * The part of the machine: the first of the labels component, gpu and device that the alert has.
   */
  private String component() {
    String gpu = label("gpu");
    return Stream.of(label("component"), gpu.matches("[0-9]+") ? "gpu" + gpu : gpu, label("device"))
        .map(value -> safe(value, LONGEST_COMPONENT).replaceFirst("^[^A-Za-z0-9]+", ""))
        .filter(value -> !value.isEmpty())
        .findFirst()
        .orElse(SignalKey.HOST);
  }

  /** The text with _ for each character that a key must not have; a name must not begin with -. */
  private static String safe(String text, int longest) {
    String cut = text.substring(0, Math.min(text.length(), longest));
    return cut.replaceAll("[^-_A-Za-z0-9]", "_").replaceFirst("^-", "_");
  }

  /**
   * The signal, to the second, as it is stored.
   *
   * @param key {@link #key}
   * @param latest the latest end of a signal that is over
   */
  Signal signal(SignalKey key, Instant latest) {
    String message =
        Stream.of("summary", "description", "message")
            .map(name -> annotations.getOrDefault(name, "").strip())
            .filter(text -> !text.isEmpty())
            .findFirst()
            .orElse("");
    String severity = label("severity");
    Instant end = endsAt.isAfter(latest) ? latest : endsAt;
    return new Signal(
        key,
        seconds(startsAt),
        firing ? Optional.empty() : Optional.of(seconds(end)),
        "",
        UserText.shortened(
            severity.substring(0, Math.min(severity.length(), LONGEST_SEVERITY)), LONGEST_SEVERITY),
        // One character less, for the ellipsis.
        UserText.shortened(message, Signal.LONGEST_MESSAGE - 1),
        Optional.empty());
  }

  private static Instant seconds(Instant at) {
    return at.truncatedTo(ChronoUnit.SECONDS);
  }
}
