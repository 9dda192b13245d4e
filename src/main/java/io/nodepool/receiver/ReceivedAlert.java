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
 * An alert of a notification: what is read of it, and what it says as a signal (decisions D276 and
 * D277).
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

  /** The value of a label; empty text if it has none. */
  String label(String name) {
    return labels.getOrDefault(name, "");
  }

  /**
   * What names the machine of an alert: the value of a label, and whether it is a serial number.
   */
  record MachineName(String text, boolean isSerial) {
    /** The name without a port; the same if it has none. */
    String withoutPort() {
      return text.replaceFirst(":[0-9]{1,5}$", "");
    }
  }

  /**
   * What names its machine: the first of the labels node, Hostname, instance, host and serial that
   * it has. One that is present decides, so that no other machine is guessed. Empty if it has none.
   * Hostname is the label of dcgm-exporter, whose instance is the address of its Pod.
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

  /** The part of the machine: of the labels component, gpu and device the first that it has. */
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
   * @param latest the latest end of one that is over
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
