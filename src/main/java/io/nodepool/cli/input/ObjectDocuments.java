package io.nodepool.cli.input;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.nodepool.cli.command.CommandFailure;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.yaml.snakeyaml.LoaderOptions;

/** Documents in YAML or JSON, each an object of Kubernetes or a list of objects. */
public final class ObjectDocuments {
  /** A list of a large cluster is one document, and exceeds the default limit. */
  private static final YAMLMapper DOCUMENTS = new YAMLMapper(ofAnyLength());

  private ObjectDocuments() {}

  /**
   * Reads all objects.
   *
   * @param name the name of the text, for errors
   */
  public static void read(Reader text, String name, Consumer<JsonNode> to) {
    try (MappingIterator<JsonNode> documents =
        DOCUMENTS.readerFor(JsonNode.class).readValues(text)) {
      while (documents.hasNextValue()) {
        items(documents.nextValue()).forEach(to);
      }
    } catch (IOException | IllegalArgumentException e) {
      String why = String.valueOf(e.getMessage()).lines().findFirst().orElse("");
      throw CommandFailure.wrongInput(
          "%s is no list of objects in YAML or JSON: %s".formatted(name, why), e);
    }
  }

  /**
   * Uses the text of a file, with the instant of its last change, or of standard input, with the
   * present instant.
   *
   * @param path - for standard input
   */
  public static <T> T use(Path path, Instant now, BiFunction<Reader, Instant, T> use) {
    boolean isInput = path.toString().equals("-");
    try (Reader text =
        isInput
            ? new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
            : Files.newBufferedReader(path)) {
      return use.apply(text, isInput ? now : Files.getLastModifiedTime(path).toInstant());
    } catch (NoSuchFileException e) {
      throw CommandFailure.wrongInput("%s does not exist.".formatted(path), e);
    } catch (IOException e) {
      throw CommandFailure.wrongInput("%s cannot be read: %s".formatted(path, e), e);
    }
  }

  /** Whether the item is of this kind, and not of a namesake in another group. */
  public static boolean isOf(Class<? extends HasMetadata> type, JsonNode item) {
    return item.path("apiVersion").asText("").equals(HasMetadata.getApiVersion(type))
        && item.path("kind").asText("").equals(HasMetadata.getKind(type));
  }

  /**
   * Rejects an object that no API server has stored, such as a manifest.
   *
   * @param name the name of the text, for errors
   */
  public static void requireStored(JsonNode item, String name) {
    if (!item.at("/metadata/resourceVersion").asText("").matches("[0-9]+")) {
      throw CommandFailure.wrongInput(
          "%s: %s %s is not as an API server has it, without metadata.resourceVersion: the file must be the output of kubectl get."
              .formatted(name, item.path("kind").asText(""), item.at("/metadata/name").asText("")));
    }
  }

  private static Stream<JsonNode> items(JsonNode document) {
    return document.path("items").isArray()
        ? document.path("items").valueStream().flatMap(ObjectDocuments::items)
        : Stream.of(document);
  }

  private static YAMLFactory ofAnyLength() {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(Integer.MAX_VALUE);
    return YAMLFactory.builder().loaderOptions(options).build();
  }
}
