package io.nodepool.fleet.catalogue;

import io.nodepool.vocabulary.UserText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/** All instance types, by name (contract §13). Immutable. */
public final class InstanceCatalogue {
  private static final String RESOURCE = "instance-types.csv";

  private final TreeMap<String, InstanceType> byName = new TreeMap<>();

  private InstanceCatalogue(Collection<InstanceType> types) {
    types.forEach(type -> byName.put(type.name(), type));
  }

  /** The catalogue in the operator's jar. */
  public static InstanceCatalogue bundled() {
    InputStream resource =
        Objects.requireNonNull(InstanceCatalogue.class.getResourceAsStream(RESOURCE), RESOURCE);
    try (resource) {
      return parse(RESOURCE, new String(resource.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + RESOURCE, e);
    }
  }

  /**
   * Reads a catalogue from comma-separated text: comments with {@code #}, one header line, one type
   * a line.
   *
   * @param source the name of the text in error messages, such as a file name
   * @throws IllegalArgumentException if a line is not a type; the message names the line and the
   *     field
   */
  public static InstanceCatalogue parse(String source, String text) {
    return new InstanceCatalogue(new InstanceTypeRows(source).read(text));
  }

  /** The type with exactly this name. */
  public Optional<InstanceType> find(String name) {
    return Optional.ofNullable(byName.get(name));
  }

  /** Every type, in name order. */
  public List<InstanceType> all() {
    return List.copyOf(byName.values());
  }

  /**
   * The type that a misspelt name most likely means: the one with the least misspelling cost, if
   * that is at most half the length of the longer name, else the first that contains the name.
   * Empty if no type is similar.
   */
  public Optional<InstanceType> closest(String name) {
    String asked = name.toLowerCase(Locale.ROOT);
    return byName.values().stream()
        .filter(type ->
            UserText.misspelling(asked, type.name())
                <= Math.max(asked.length(), type.name().length()) / 2)
        .min(Comparator.comparingInt(type -> UserText.misspelling(asked, type.name())))
        .or(() -> firstContaining(asked));
  }

  private Optional<InstanceType> firstContaining(String part) {
    // Nearly every name contains any two characters.
    return part.length() < 3
        ? Optional.empty()
        : byName.values().stream().filter(type -> type.name().contains(part)).findFirst();
  }
}
