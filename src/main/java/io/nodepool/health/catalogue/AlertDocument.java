package io.nodepool.health.catalogue;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Alerts as YAML: the field {@code alerts} with an entry for each name. {@code alerts.schema.json}
 * beside it describes the form; what concerns several entries is checked here alone.
 */
final class AlertDocument {
  /** The greatest number of characters of a document. */
  static final int LONGEST = 256 * 1024;

  /** The greatest number of alerts of a catalogue. */
  static final int MOST_ALERTS = 500;

  private static final String ALERTS = "alerts";

  private final SortedMap<String, Alert> alerts;
  private final List<AlertEntry> entries = new ArrayList<>();

  private AlertDocument(SortedMap<String, Alert> base) {
    this.alerts = new TreeMap<>(base);
  }

  /**
   * The alerts of a catalogue and those of a document, by name. An entry of the document changes
   * the fields that it gives.
   *
   * @param shipped whether the document ships with the operator
   * @throws IllegalArgumentException if one of its entries is wrong; the message names the line and
   *     what would be right
   */
  static SortedMap<String, Alert> read(
      String source, String text, SortedMap<String, Alert> base, boolean shipped) {
    AlertDocument document = new AlertDocument(base);
    document.take(YamlPart.document(source, text, LONGEST), shipped);
    AlertReferences references = new AlertReferences(document.alerts);
    document.entries.forEach(references::check);
    return document.alerts;
  }

  private void take(YamlPart root, boolean shipped) {
    var fields = root.fields();
    fields.forEach((field, part) -> {
      if (!field.equals(ALERTS)) {
        throw part.wrong("a document has the field alerts only, not %s.".formatted(field));
      }
    });
    YamlPart list = fields.get(ALERTS);
    if (list == null) {
      throw root.wrong("the document must have the field alerts.");
    }
    list.fields().forEach((name, part) -> add(AlertEntry.of(name, part, shipped)));
    if (alerts.size() > MOST_ALERTS) {
      throw list.wrong(
          "there would be %d alerts; at most %d are allowed."
              .formatted(alerts.size(), MOST_ALERTS));
    }
  }

  private void add(AlertEntry entry) {
    alerts.values().stream()
        .filter(alert -> alert.aliases().contains(entry.name()))
        .findFirst()
        .ifPresent(alert -> {
          throw entry.wrong(
              "", "%s is an alias of %s; write that name.".formatted(entry.name(), alert.name()));
        });
    alerts.put(entry.name(), entry.alert(Optional.ofNullable(alerts.get(entry.name()))));
    entries.add(entry);
  }
}
