package io.nodepool.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The dashboards that ship. */
public final class Dashboards {
  private static final Path FOLDER = Path.of("deploy", "monitoring", "dashboards");
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * A query of a panel.
   *
   * @param dashboard the name of the file
   * @param expression as written, with the variables of Grafana
   */
  public record Query(String dashboard, String panel, String expression) {
    /** The expression as Prometheus reads it, for one NodePool. */
    String forPool(String pool) {
      return expression
          .replace("$pool", pool)
          .replace("$__rate_interval", "15s")
          .replace("$__range", "10m");
    }
  }

  private Dashboards() {}

  /** The files. */
  public static List<Path> files() {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All queries of all panels. */
  public static List<Query> queries() {
    return files().stream().flatMap(Dashboards::queries).toList();
  }

  private static Stream<Query> queries(Path file) {
    try {
      JsonNode dashboard = JSON.readTree(file.toFile());
      return dashboard
          .path("panels")
          .valueStream()
          .flatMap(panel ->
              panel
                  .path("targets")
                  .valueStream()
                  .map(target ->
                      new Query(
                          String.valueOf(file.getFileName()),
                          panel.path("title").asText(),
                          target.path("expr").asText())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
