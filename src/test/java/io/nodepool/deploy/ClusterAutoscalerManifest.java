package io.nodepool.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The example that runs the upstream cluster-autoscaler beside the operator. */
public final class ClusterAutoscalerManifest {
  /** Name of all that it installs, and its namespace. */
  public static final String NAME = "cluster-autoscaler";

  /** Whom it runs as. */
  public static final String USER = "system:serviceaccount:" + NAME + ":" + NAME;

  private static final Path FILE =
      Path.of("deploy", "cluster-autoscaler", "cluster-autoscaler.yaml");

  private ClusterAutoscalerManifest() {}

  /** All objects, in the order in which they are created. */
  public static List<JsonNode> objects() {
    try {
      return Chart.parse(Files.readString(FILE));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The one object of a kind. */
  public static JsonNode the(String kind) {
    List<JsonNode> found =
        objects().stream().filter(object -> object.get("kind").asText().equals(kind)).toList();
    if (found.size() != 1) {
      throw new AssertionError("%d of kind %s".formatted(found.size(), kind));
    }
    return found.getFirst();
  }

  /**
   * What a role grants, each as {@code verb group/resource}, with the name if only one is meant.
   */
  public static List<String> rights(String kind) {
    List<String> rights = new ArrayList<>();
    for (JsonNode rule : the(kind).get("rules")) {
      for (String group : Chart.texts(rule.get("apiGroups"))) {
        for (String resource : Chart.texts(rule.get("resources"))) {
          for (String verb : Chart.texts(rule.get("verbs"))) {
            List<String> names = Chart.texts(rule.path("resourceNames"));
            rights.add("%s %s/%s%s".formatted(verb, group, resource, names.isEmpty() ? "" : names));
          }
        }
      }
    }
    return rights;
  }
}
