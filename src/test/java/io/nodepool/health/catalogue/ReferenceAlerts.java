package io.nodepool.health.catalogue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The alerts of the reference as people read them, from a file that is written by hand. */
public final class ReferenceAlerts {
  /**
   * One of them.
   *
   * @param text its words in the reference
   */
  public record Row(String name, String grade, boolean overridesEviction, String text) {}

  private ReferenceAlerts() {}

  /** All of them, in the order of the reference. */
  public static List<Row> read() {
    try {
      return Files.readAllLines(Path.of("src/test/resources/reference-alerts.txt")).stream()
          .filter(line -> !line.startsWith("#"))
          .map(line -> line.split(" \\| ", 4))
          .map(row -> new Row(row[0], row[1], row[2].equals("yes"), row[3]))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
