package io.nodepool.receiver;

import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.vocabulary.UserText;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.stream.Stream;

/** What an alert of Alertmanager says as a signal (decisions D276 and D277). */
final class AlertSignal {
  /** The source of all signals that come from Alertmanager. */
  static final String SOURCE = "alertmanager";

  private static final int LONGEST_NAME = 100;
  private static final int LONGEST_COMPONENT = 40;
  private static final int LONGEST_SEVERITY = 32;

  private AlertSignal() {}

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
  static Optional<MachineName> machine(ReceivedAlert alert) {
    return Stream.of("node", "Hostname", "instance", "host", "serial")
        .filter(label -> !alert.label(label).isEmpty())
        .findFirst()
        .map(label -> new MachineName(alert.label(label), label.equals("serial")));
  }

  /** The key of its signal; empty if it has no name. */
  static Optional<SignalKey> key(ReceivedAlert alert) {
    String name = safe(alert.label("alertname"), LONGEST_NAME);
    return name.isEmpty()
        ? Optional.empty()
        : SignalKey.parse(new SignalKey(SOURCE, component(alert), name).text());
  }

  /** The part of the machine: of the labels component, gpu and device the first that it has. */
  private static String component(ReceivedAlert alert) {
    String gpu = alert.label("gpu");
    return Stream.of(
            alert.label("component"),
            gpu.matches("[0-9]+") ? "gpu" + gpu : gpu,
            alert.label("device"))
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
   * @param latest the latest end of one that is over
   */
  static Signal signal(SignalKey key, ReceivedAlert alert, Instant latest) {
    String message =
        Stream.of("summary", "description", "message")
            .map(name -> alert.annotations().getOrDefault(name, "").strip())
            .filter(text -> !text.isEmpty())
            .findFirst()
            .orElse("");
    String severity = alert.label("severity");
    Instant end = alert.endsAt().isAfter(latest) ? latest : alert.endsAt();
    return new Signal(
        key,
        seconds(alert.startsAt()),
        alert.firing() ? Optional.empty() : Optional.of(seconds(end)),
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
