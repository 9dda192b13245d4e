package io.nodepool.cli.input;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.exc.MismatchedInputException;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.cli.command.ApiRefusal;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.Crds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Manifests: YAML files with one or more documents. */
public final class Manifests {
  /** Server-side apply that rejects unknown fields instead of dropping them. */
  public static final PatchContext APPLY =
      new PatchContext.Builder()
          .withPatchType(PatchType.SERVER_SIDE_APPLY)
          .withFieldManager("nodepool-dev")
          .withForce(true)
          .withFieldValidation("Strict")
          .build();

  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  /** Creates a Namespace unless it exists. */
  public static void applyNamespace(KubernetesClient client, String name) {
    client
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .patch(APPLY);
  }

  /**
   * One object of a manifest with all its fields, including unknown ones.
   *
   * @param source the file name, for messages
   */
  public record Manifest(String source, GenericKubernetesResource object) {
    /** The object's name. */
    public String name() {
      return object.getMetadata().getName();
    }

    /** Whether the object is of this kind. */
    public boolean is(String apiVersion, String kind) {
      return object.getKind().equals(kind) && object.getApiVersion().equals(apiVersion);
    }

    /**
     * Applies the object unchanged.
     *
     * @throws CommandFailure with the API server's message if it rejects the object, or does not
     *     know the kind
     */
    public void apply(KubernetesClient client) {
      try {
        requireKnown(client);
        GenericKubernetesResource applied = client.resource(object).patch(APPLY);
        if (is("apiextensions.k8s.io/v1", "CustomResourceDefinition")) {
          Crds.awaitEstablished(client, applied.getMetadata().getName());
        }
      } catch (KubernetesClientException e) {
        throw new CommandFailure(
            "%s: %s %s: %s".formatted(source, object.getKind(), name(), ApiRefusal.inWords(e)), e);
      }
    }

    private void requireKnown(KubernetesClient client) {
      if (!Crds.isListed(client, object.getApiVersion(), object.getKind())) {
        throw new CommandFailure(
            "%s: %s %s: the cluster has no kind %s of %s."
                .formatted(
                    source, object.getKind(), name(), object.getKind(), object.getApiVersion()));
      }
    }
  }

  private Manifests() {}

  /**
   * Reads the objects of a file, of any kinds, in its order.
   *
   * @throws CommandFailure if the file cannot be read, is not YAML, is empty, or contains something
   *     that is no object
   */
  public static List<Manifest> read(Path file) {
    return parse(file.toString(), InputFile.text(file));
  }

  /** Reads objects from text; {@code source} names it in messages. */
  public static List<Manifest> parse(String source, String text) {
    List<Manifest> found =
        documents(source, text).stream()
            .filter(document -> !document.isNull() && !document.isMissingNode())
            .flatMap(Manifests::items)
            .map(document -> manifest(source, document))
            .toList();
    if (found.isEmpty()) {
      throw CommandFailure.wrongInput(source + " contains no object.");
    }
    return found;
  }

  /** A document, or the items of a List. */
  private static Stream<JsonNode> items(JsonNode document) {
    return document.path("kind").asText("").equals("List") && document.path("items").isArray()
        ? document.path("items").valueStream()
        : Stream.of(document);
  }

  /**
   * Reads the objects of a file, all of one kind.
   *
   * @throws CommandFailure if the file cannot be read, is not YAML, is empty, or contains another
   *     kind
   */
  public static List<Manifest> read(Path file, String apiVersion, String kind) {
    return parse(file.toString(), InputFile.text(file), apiVersion, kind);
  }

  /** Reads objects from text; {@code source} names it in messages. */
  public static List<Manifest> parse(String source, String text, String apiVersion, String kind) {
    List<Manifest> found = parse(source, text);
    found.stream()
        .filter(each -> !each.is(apiVersion, kind))
        .findFirst()
        .ifPresent(other -> {
          throw CommandFailure.wrongInput(
              "%s: expected a %s of %s, found %s of %s."
                  .formatted(
                      source,
                      kind,
                      apiVersion,
                      other.object().getKind(),
                      other.object().getApiVersion()));
        });
    return found;
  }

  /**
   * Parses the documents of a YAML text; {@code source} names it in messages.
   *
   * @throws CommandFailure if the text is not YAML
   */
  static List<JsonNode> documents(String source, String text) {
    try (MappingIterator<JsonNode> documents = YAML.readerFor(JsonNode.class).readValues(text)) {
      return documents.readAll();
    } catch (JsonProcessingException e) {
      throw CommandFailure.wrongInput(
          "%s is not valid YAML: line %d: %s"
              .formatted(
                  source,
                  e.getLocation().getLineNr(),
                  e.getOriginalMessage().lines().findFirst().orElse("")),
          e);
    } catch (IOException e) {
      throw CommandFailure.wrongInput("%s cannot be read: %s".formatted(source, e), e);
    }
  }

  private static Manifest manifest(String source, JsonNode document) {
    String kind = document.path("kind").asText("");
    if (kind.isEmpty() || document.path("apiVersion").asText("").isEmpty()) {
      throw CommandFailure.wrongInput(source + ": an object has no apiVersion or no kind.");
    }
    if (document.path("metadata").path("name").asText("").isEmpty()) {
      throw CommandFailure.wrongInput("%s: a %s has no metadata.name.".formatted(source, kind));
    }
    try {
      return new Manifest(source, YAML.treeToValue(document, GenericKubernetesResource.class));
    } catch (JsonProcessingException e) {
      throw CommandFailure.wrongInput(
          "%s: the %s cannot be read: %s.".formatted(source, kind, inWords(e)), e);
    }
  }

  /** The field that does not match, and the expected type. */
  public static String inWords(JsonProcessingException failure) {
    if (!(failure instanceof JsonMappingException mismatch)) {
      return failure.getOriginalMessage().lines().findFirst().orElse("");
    }
    StringBuilder field = new StringBuilder();
    for (JsonMappingException.Reference step : mismatch.getPath()) {
      if (step.getFieldName() == null) {
        field.append('[').append(step.getIndex()).append(']');
      } else {
        field.append(field.isEmpty() ? "" : ".").append(step.getFieldName());
      }
    }
    return switch (mismatch) {
      case MismatchedInputException wrong ->
          "%s must be %s".formatted(field, kindOf(wrong.getTargetType()));
      default -> field + ": " + mismatch.getOriginalMessage().lines().findFirst().orElse("");
    };
  }

  private static String kindOf(@Nullable Class<?> type) {
    if (type == null) {
      return "something else";
    }
    if (Collection.class.isAssignableFrom(type)) {
      return "a list";
    }
    return switch (type.getSimpleName()) {
      case "int", "long", "Integer", "Long" -> "a whole number";
      case "boolean", "Boolean" -> "true or false";
      case "String" -> "a text";
      default -> "an object with fields";
    };
  }
}
