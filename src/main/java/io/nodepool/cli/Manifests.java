package io.nodepool.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Manifests as users write them: YAML, several documents in a file. */
final class Manifests {
  /** A field that no schema knows is a mistake of the manifest's author, not to be dropped. */
  static final PatchContext APPLY =
      new PatchContext.Builder()
          .withPatchType(PatchType.SERVER_SIDE_APPLY)
          .withFieldManager("nodepool-dev")
          .withForce(true)
          .withFieldValidation("Strict")
          .build();

  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  /**
   * One object of a manifest, with everything that stands there, also what no schema knows.
   *
   * @param source the file, as messages name it
   */
  record Manifest(String source, GenericKubernetesResource object) {
    /** The object's name. */
    String name() {
      return object.getMetadata().getName();
    }

    /**
     * Applies the object as it stands.
     *
     * @throws CommandFailure with the API server's words if it does not take it
     */
    void apply(KubernetesClient client) {
      try {
        client.resource(object).patch(APPLY);
      } catch (KubernetesClientException e) {
        throw new CommandFailure(
            "%s: %s %s: %s".formatted(source, object.getKind(), name(), ApiRefusal.inWords(e)), e);
      }
    }
  }

  private Manifests() {}

  /**
   * The objects of a file, all of which are of one kind.
   *
   * @throws CommandFailure if it cannot be read, is no YAML, is empty, or holds something else
   */
  static List<Manifest> read(Path file, String apiVersion, String kind) {
    return parse(file.toString(), text(file), apiVersion, kind);
  }

  /** The same from text; {@code source} is what messages call it. */
  static List<Manifest> parse(String source, String text, String apiVersion, String kind) {
    List<Manifest> manifests = new ArrayList<>();
    for (JsonNode document : documents(source, text)) {
      if (!document.isNull() && !document.isMissingNode()) {
        manifests.add(manifest(source, document, apiVersion, kind));
      }
    }
    if (manifests.isEmpty()) {
      throw new CommandFailure("%s holds no %s.".formatted(source, kind));
    }
    return manifests;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new CommandFailure("%s does not exist.".formatted(file), e);
    } catch (CharacterCodingException e) {
      throw new CommandFailure("%s is no text.".formatted(file), e);
    } catch (IOException e) {
      throw new CommandFailure("%s cannot be read: %s".formatted(file, e), e);
    }
  }

  private static List<JsonNode> documents(String source, String text) {
    try (MappingIterator<JsonNode> documents = YAML.readerFor(JsonNode.class).readValues(text)) {
      return documents.readAll();
    } catch (JsonProcessingException e) {
      throw new CommandFailure(
          "%s is no YAML: line %d: %s"
              .formatted(
                  source,
                  e.getLocation().getLineNr(),
                  e.getOriginalMessage().lines().findFirst().orElse("")),
          e);
    } catch (IOException e) {
      throw new CommandFailure("%s cannot be read: %s".formatted(source, e), e);
    }
  }

  private static Manifest manifest(
      String source, JsonNode document, String apiVersion, String kind) {
    String foundVersion = document.path("apiVersion").asText("");
    String foundKind = document.path("kind").asText("");
    if (!foundKind.equals(kind) || !foundVersion.equals(apiVersion)) {
      throw new CommandFailure(
          "%s: expected a %s of %s, found %s."
              .formatted(source, kind, apiVersion, found(foundVersion, foundKind)));
    }
    if (document.path("metadata").path("name").asText("").isEmpty()) {
      throw new CommandFailure("%s: a %s has no metadata.name.".formatted(source, kind));
    }
    try {
      return new Manifest(source, YAML.treeToValue(document, GenericKubernetesResource.class));
    } catch (JsonProcessingException e) {
      throw new CommandFailure(
          "%s: the %s cannot be read: %s"
              .formatted(source, kind, e.getOriginalMessage().lines().findFirst().orElse("")),
          e);
    }
  }

  private static String found(String apiVersion, String kind) {
    if (kind.isEmpty() && apiVersion.isEmpty()) {
      return "something without apiVersion and kind";
    }
    return "%s of %s"
        .formatted(
            kind.isEmpty() ? "something without kind" : kind,
            apiVersion.isEmpty() ? "no apiVersion" : apiVersion);
  }
}
