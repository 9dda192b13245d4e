package io.nodepool.health.catalogue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * All alerts, by name: the alerts that ship with the operator, with the changes and additions of a
 * user's document. Immutable.
 */
public final class AlertCatalogue {
  /** Name of the ConfigMap with a user's changes, in the operator's namespace. */
  public static final String CONFIG_MAP = "nodepool-alerts";

  private static final String RESOURCE = "alerts.yaml";

  /** Read once, since it is the same for every operator. */
  private static final class Shipped {
    static final AlertCatalogue CATALOGUE = read();

    private static AlertCatalogue read() {
      InputStream resource =
          Objects.requireNonNull(AlertCatalogue.class.getResourceAsStream(RESOURCE), RESOURCE);
      try (resource) {
        String text = new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        return new AlertCatalogue(
            AlertDocument.read(RESOURCE, text, new TreeMap<>(), new TreeMap<>(), true));
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + RESOURCE, e);
      }
    }
  }

  /** The time without a heartbeat after which a source is silent, if no document names it. */
  public static final Duration SILENCE = Duration.ofHours(12);

  private final SortedMap<String, Alert> byName;
  private final SortedMap<String, Duration> silences;
  private final SortedMap<String, Alert> byAlias = new TreeMap<>();
  private final SortedMap<String, Alert> byCondition = new TreeMap<>();

  private AlertCatalogue(AlertDocument document) {
    this.byName = Collections.unmodifiableSortedMap(document.alerts);
    this.silences = Collections.unmodifiableSortedMap(document.silences);
    byName
        .values()
        .forEach(alert -> {
          alert.aliases().forEach(alias -> byAlias.put(alias, alert));
          alert.nodeConditions().forEach(type -> byCondition.put(type, alert));
        });
  }

  /** The alerts that ship with the operator, from the reference and from this project. */
  public static AlertCatalogue shipped() {
    return Shipped.CATALOGUE;
  }

  /**
   * These alerts with the changes of a document. An entry of a known name changes the fields that
   * it gives; an entry of another name adds an alert.
   *
   * @param source the name of the document in messages
   * @param text YAML in the form of {@code alerts.schema.json}
   * @throws IllegalArgumentException if anything in it is wrong; the message names the line and
   *     what would be right
   */
  public AlertCatalogue changedBy(String source, String text) {
    return new AlertCatalogue(AlertDocument.read(source, text, byName, silences, false));
  }

  /** The alert of this name or alias. */
  public Optional<Alert> find(String nameOrAlias) {
    return Optional.ofNullable(byName.get(nameOrAlias))
        .or(() -> Optional.ofNullable(byAlias.get(nameOrAlias)));
  }

  /** The alert of this name or alias; an unknown one has the grade watch. */
  public Alert alert(String nameOrAlias) {
    return find(nameOrAlias).orElseGet(() -> Alert.unknown(nameOrAlias));
  }

  /**
   * The alert that a condition of a Node means while it is True. The operator writes no condition
   * of such a type: other clients do.
   */
  public Optional<Alert> ofNodeCondition(String type) {
    return Optional.ofNullable(byCondition.get(type));
  }

  /** The time without a heartbeat after which this source is silent. */
  public Duration silence(String source) {
    return silences.getOrDefault(source, SILENCE);
  }

  /** Every alert, in the order of names. */
  public List<Alert> all() {
    return List.copyOf(byName.values());
  }

  /** The names of the alerts that a user's document changed or added, in their order. */
  public List<String> changed() {
    return byName.values().stream()
        .filter(alert -> alert.source() == Alert.Source.USER)
        .map(Alert::name)
        .toList();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AlertCatalogue catalogue
        && byName.equals(catalogue.byName)
        && silences.equals(catalogue.silences);
  }

  @Override
  public int hashCode() {
    return Objects.hash(byName, silences);
  }

  @Override
  public String toString() {
    return "AlertCatalogue of %d alerts".formatted(byName.size());
  }
}
