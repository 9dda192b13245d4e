package io.nodepool.deploy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.Release;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The chart as Helm renders it, under the names that docs/install.md uses. */
public final class Chart {
  /** Where the chart is. */
  public static final Path FOLDER = Path.of("deploy", "chart");

  /** The chart of the CRDs alone. */
  static final Path CRDS = Path.of("deploy", "chart-crds");

  /** Name of the release. */
  public static final String RELEASE = "nodepool-operator";

  /** Namespace of the release. */
  public static final String NAMESPACE = "nodepool-system";

  /** Name of the data centre's objects. */
  public static final String DATA_CENTRE = RELEASE + "-data-centre";

  private static final YAMLMapper YAML = new YAMLMapper();

  private final List<JsonNode> objects;

  private Chart(List<JsonNode> objects) {
    this.objects = objects;
  }

  /**
   * Renders the chart without its CRDs.
   *
   * @param values YAML, over the chart's own values
   * @throws IllegalStateException with Helm's words if it refuses the values
   */
  public static Chart render(String values) {
    Path file = values(values);
    try {
      return new Chart(
          parse(
              new Helm(FOLDER)
                  .template()
                  .withName(RELEASE)
                  .withNamespace(NAMESPACE)
                  .withKubeVersion("1.34.4")
                  .withValuesFile(file)
                  .skipCrds()
                  .call()));
    } finally {
      delete(file);
    }
  }

  /**
   * Installs a chart.
   *
   * @param text its values, as YAML
   */
  public static Release install(Path chart, String text, Path kubeconfig) {
    Path values = values(text);
    try {
      return new Helm(chart)
          .install()
          .withName(RELEASE)
          .withNamespace(NAMESPACE)
          .withValuesFile(values)
          .withKubeConfig(kubeconfig)
          .call();
    } finally {
      delete(values);
    }
  }

  /** The sets of values in the chart's folder {@code ci}, by which it is tried. */
  static List<Path> valueSets() {
    try (Stream<Path> files = Files.list(FOLDER.resolve("ci"))) {
      return Stream.concat(files.sorted(), Stream.of(Path.of("deploy", "kind", "values.yaml")))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Creates a Namespace. */
  static void createNamespace(KubernetesClient admin, String name) {
    admin
        .resource(new NamespaceBuilder().withNewMetadata().withName(name).endMetadata().build())
        .create();
  }

  /** Writes values to a file that Helm can read. */
  private static Path values(String text) {
    try {
      return Files.writeString(Files.createTempFile("values", ".yaml"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes a file. */
  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The documents of a stream of YAML, without empty ones. */
  public static List<JsonNode> parse(String yaml) {
    try (MappingIterator<JsonNode> documents = YAML.readerFor(JsonNode.class).readValues(yaml)) {
      return documents.readAll().stream()
          .filter(document -> document != null && document.isObject())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All objects. */
  public List<JsonNode> objects() {
    return objects;
  }

  /** The object of a kind and name, if it is there. */
  public Optional<JsonNode> find(String kind, String name) {
    return objects.stream()
        .filter(object -> object.path("kind").asText().equals(kind))
        .filter(object -> object.at("/metadata/name").asText().equals(name))
        .findFirst();
  }

  /** The object of a kind and name. */
  public JsonNode get(String kind, String name) {
    return find(kind, name).orElseThrow(() -> new AssertionError("no " + kind + " " + name));
  }

  /** Kind and name of every object. */
  public List<String> names() {
    return objects.stream()
        .map(object -> object.path("kind").asText() + " " + object.at("/metadata/name").asText())
        .toList();
  }

  /** The arguments of the one container of a Deployment. */
  public List<String> args(String deployment) {
    return texts(get("Deployment", deployment).at("/spec/template/spec/containers/0/args"));
  }

  /** The texts of a list. */
  static List<String> texts(JsonNode list) {
    return list.valueStream().map(JsonNode::asText).toList();
  }
}
