package io.nodepool.drill.document;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** The files that a scenario names. */
public interface ManifestFiles {
  /**
   * The documents of a file.
   *
   * @param where the field that names the file, for errors
   * @param file its path, from the scenario's own folder
   * @throws ScenarioMistake if it cannot be read
   */
  List<JsonNode> manifests(String where, String file);
}
