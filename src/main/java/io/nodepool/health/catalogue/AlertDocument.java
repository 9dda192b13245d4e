package io.nodepool.health.catalogue;

import io.nodepool.vocabulary.DurationText;
import io.nodepool.vocabulary.SourceName;
import io.nodepool.vocabulary.UserText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Alerts as YAML: the field {@code alerts} with an entry for each name. {@code alerts.schema.json}
 * beside it describes the form; rules for several entries are checked only here.
 */
final class AlertDocument {
  /** The greatest number of characters of a document. */
  static final int LONGEST = 256 * 1024;

  /** The greatest number of alerts of a catalogue. */
  static final int MOST_ALERTS = 500;

  private static final String ALERTS = "alerts";
  private static final String SOURCES = "sources";
  private static final String SILENCE = "silence";
  private static final Duration LONGEST_SILENCE = Duration.ofDays(30);

  final SortedMap<String, Alert> alerts;

  /** The time after which a source counts as silent, by its name. */
  final SortedMap<String, Duration> silences;

  private final List<AlertEntry> entries = new ArrayList<>();

  private AlertDocument(SortedMap<String, Alert> alerts, SortedMap<String, Duration> silences) {
    this.alerts = new TreeMap<>(alerts);
    this.silences = new TreeMap<>(silences);
  }

  /**
   * The alerts and sources of a catalogue and of a document, by name. An entry of the document
   * changes the fields that it gives.
   *
   * @param shipped whether the document ships with the operator
   * @throws IllegalArgumentException if one of its entries is wrong; the message names the line and
   *     what would be right
   */
  static AlertDocument read(
      String source,
      String text,
      SortedMap<String, Alert> alerts,
      SortedMap<String, Duration> silences,
      boolean shipped) {
    AlertDocument document = new AlertDocument(alerts, silences);
    document.take(YamlPart.document(source, text, LONGEST), shipped);
    AlertReferences references = new AlertReferences(document.alerts);
    document.entries.forEach(references::check);
    return document;
  }

  private void take(YamlPart root, boolean shipped) {
    var fields = root.fields();
    fields.forEach((field, part) -> {
      if (!field.equals(ALERTS) && !field.equals(SOURCES)) {
        throw part.wrong(
            "a document has the fields alerts and sources only, not %s.".formatted(field));
      }
    });
    YamlPart list = fields.get(ALERTS);
    if (list == null) {
      throw root.wrong("the document must have the field alerts.");
    }
    list.fields().forEach((name, part) -> add(AlertEntry.of(name, part, shipped)));
    YamlPart sources = fields.get(SOURCES);
    if (sources != null) {
      sources.fields().forEach(this::silence);
    }
    if (alerts.size() > MOST_ALERTS) {
      throw list.wrong(
          "there would be %d alerts; at most %d are allowed."
              .formatted(alerts.size(), MOST_ALERTS));
    }
  }

  private void silence(String source, YamlPart part) {
    YamlPart whole = part.named(source);
    if (!SourceName.canBeSilent(source)) {
      throw whole.wrong(
          "%s is no source that can be silent; write the name of a monitor, or %s for conditions of Nodes."
              .formatted(UserText.quoted(source), SourceName.CONDITIONS));
    }
    Map<String, YamlPart> fields = whole.fields();
    YamlPart silence = fields.get(SILENCE);
    if (silence == null || fields.size() > 1) {
      throw whole.wrong(
          "a source has the field silence, and no other one; write it as {silence: 1h}.");
    }
    silences.put(
        source,
        DurationText.parse(silence.scalar())
            .filter(each -> each.isPositive() && each.compareTo(LONGEST_SILENCE) <= 0)
            .orElseThrow(() ->
                silence.wrong(
                    "silence of %s is %s; write a duration above 0s and at most %dh, such as 30m or 12h."
                        .formatted(
                            source,
                            UserText.quoted(silence.scalar()),
                            LONGEST_SILENCE.toHours()))));
  }

  private void add(AlertEntry entry) {
    entry.refuse(
        "",
        alerts.values().stream()
            .filter(alert -> alert.aliases().contains(entry.name()))
            .findFirst()
            .map(alert ->
                "%s is an alias of %s; write that name.".formatted(entry.name(), alert.name())));
    alerts.put(entry.name(), entry.alert(Optional.ofNullable(alerts.get(entry.name()))));
    entries.add(entry);
  }
}
