package io.nodepool.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.nodepool.GeneratedText;
import io.nodepool.vocabulary.metadata.LabelDomains;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Asserts that the files in {@code crds/} match the classes; with {@code -Dcrds.write=true} writes
 * them and the charts' copies.
 */
class CrdsTest {
  private static final Path FOLDER = Path.of("crds");
  private static final List<Path> CHARTS =
      List.of(Path.of("deploy", "chart", "crds"), Path.of("deploy", "chart-crds", "definitions"));
  private static final String ROOT = "/spec/versions/0/schema/openAPIV3Schema";
  private static final ObjectMapper JSON = new ObjectMapper();

  @BeforeAll
  static void writeIfAsked() throws IOException {
    if (Boolean.getBoolean("crds.write")) {
      for (Map.Entry<String, String> file : CrdFiles.texts().entrySet()) {
        Files.writeString(FOLDER.resolve(file.getKey()), file.getValue());
        for (Path chart : CHARTS) {
          Files.writeString(chart.resolve(file.getKey()), file.getValue());
        }
      }
    }
  }

  @Test
  void theFilesMatchTheClasses() throws IOException {
    for (Map.Entry<String, String> file : CrdFiles.texts().entrySet()) {
      GeneratedText.assertSame(
          FOLDER.resolve(file.getKey()),
          file.getValue(),
          GeneratedText.writing(CrdsTest.class, "crds.write"));
    }
    assertThat(committed()).isEqualTo(CrdFiles.texts().keySet());
  }

  @Test
  void columnsAreInTheOrderOfTheClasses() {
    assertThat(columns(NodePool.class))
        .containsExactly(
            "Instance Type",
            "Target",
            "Queued",
            "InProgress",
            "Current",
            "Prefill",
            "Validated",
            "Capacity",
            "Quota",
            "StagedConfig",
            "AtTarget",
            "NotReady",
            "UpToDate",
            "InDisruption",
            "Status",
            "Age");
    assertThat(columns(HostResource.class))
        .containsExactly(
            "Instance Type",
            "Phase",
            "Pool",
            "Tenancy",
            "Failures",
            "Set Aside",
            "Rack",
            "Preserved Until",
            "Faulty GPUs",
            "Faulty DPUs",
            "Power",
            "Maintenance",
            "Age");
  }

  @Test
  void everyFieldOfEveryKindIsDescribed() {
    CrdFiles.KINDS.forEach(kind -> described(CrdFiles.tree(kind).at(ROOT)));
  }

  @Test
  void everyListAndTextThatAuthorsWriteIsBounded() {
    CrdFiles.KINDS.forEach(kind -> bounded(CrdFiles.tree(kind).at(ROOT)));
  }

  @Test
  void defaultsInJavaAreThoseOfTheServer() throws IOException {
    JsonNode properties = CrdFiles.tree(NodePool.class).at(ROOT + "/properties/spec/properties");
    JsonNode written = JSON.readTree(new KubernetesSerialization().asJson(new NodePoolSpec()));
    written
        .properties()
        .forEach(field ->
            assertThat(field.getValue())
                .isEqualTo(properties.path(field.getKey()).path("default")));
    assertThat(written.properties())
        .extracting(Map.Entry::getKey)
        .containsExactlyInAnyOrder(
            "autoscaling", "computeClass", "lifecycle", "nodeConfigurationUpdateStrategy");
  }

  @Test
  void theRulesAboutReservedKeysNameTheKeysOfTheVocabulary() {
    assertThat(named("nodeLabels", "k == '([^']+)'"))
        .containsExactlyInAnyOrderElementsOf(LabelDomains.ALLOWED_IN_SPEC);
    assertThat(named("nodeAnnotations", "'([a-z.]*kubernetes[.]io/[^']+)'"))
        .containsExactlyInAnyOrderElementsOf(LabelDomains.KUBERNETES_ANNOTATIONS);
    assertThat(named("nodeTaints", "'([A-Za-z]+ByClusterAutoscaler|[A-Za-z]+OfClusterAutoscaler)'"))
        .containsExactlyInAnyOrderElementsOf(LabelDomains.AUTOSCALER_TAINTS);
  }

  private static Set<String> named(String field, String pattern) {
    return CrdFiles.tree(NodePool.class)
        .at(ROOT + "/properties/spec/properties/" + field)
        .findValuesAsText("rule")
        .stream()
        .flatMap(rule -> Pattern.compile(pattern).matcher(rule).results())
        .map(match -> match.group(1))
        .collect(Collectors.toSet());
  }

  @Test
  void everyRuleChecksThatAFieldExists() {
    JsonNode spec = CrdFiles.tree(NodePool.class).at(ROOT + "/properties/spec");
    for (JsonNode rule : spec.path("x-kubernetes-validations")) {
      Set<String> read = found("self((?:[.][a-zA-Z]+)+)", rule);
      Set<String> guarded = found("has[(]self((?:[.][a-zA-Z]+)+)[)]", rule);
      assertThat(guarded).as(rule.path("rule").asText()).containsAll(read);
    }
  }

  private static Set<String> found(String pattern, JsonNode rule) {
    return Pattern.compile(pattern)
        .matcher(rule.path("rule").asText())
        .results()
        .map(match -> match.group(1))
        .collect(Collectors.toSet());
  }

  @Test
  void anUnknownFieldIsIgnoredAndAnEmptyStatusWritesNothing() {
    KubernetesSerialization serialization = new KubernetesSerialization();
    NodePool pool =
        serialization.unmarshal(
            """
            {"apiVersion": "compute.coreweave.com/v1alpha1", "kind": "NodePool", "metadata": {"name": "a"},
             "spec": {"instanceType": "x", "computeClass": "Spot", "later": 1,
                      "lifecycle": {"scaleDownStrategy": "PreferIdle", "later": 1}},
             "status": {"later": {"a": 1}, "conditions": [{"type": "A", "status": "True", "later": 1}]}}
            """,
            NodePool.class);
    assertThat(pool.getSpec().computeClass).isEqualTo("Spot");
    assertThat(pool.getSpec().lifecycle.scaleDownStrategy)
        .isEqualTo(NodePoolSpec.ScaleDownStrategy.PREFER_IDLE);
    assertThat(pool.getSpec().lifecycle.disableUnhealthyNodeEviction).isTrue();
    assertThat(pool.getStatus().conditions)
        .extracting(condition -> condition.type)
        .containsExactly("A");
    assertThat(List.of(new NodePoolStatus(), new HostStatus(), new SimulatedFleetStatus()))
        .allSatisfy(status -> assertThat(serialization.asJson(status)).isEqualTo("{}"));
  }

  private static List<String> columns(Class<? extends CustomResource<?, ?>> kind) {
    return CrdFiles.tree(kind)
        .at("/spec/versions/0/additionalPrinterColumns")
        .findValuesAsText("name");
  }

  private static void described(JsonNode schema) {
    schema
        .path("properties")
        .properties()
        .forEach(property -> {
          assertThat(property.getValue().path("description").asText())
              .as(property.getKey())
              .endsWith(".");
          described(property.getValue());
          described(property.getValue().path("items"));
        });
  }

  private static void bounded(JsonNode schema) {
    switch (schema.path("type").asText()) {
      case "array" -> {
        assertThat(schema.has("maxItems")).as("maxItems of %s", schema).isTrue();
        bounded(schema.get("items"));
      }
      case "object" -> {
        assertThat(schema.has("additionalProperties"))
            .as("maxProperties of %s", schema)
            .isEqualTo(schema.has("maxProperties"));
        schema.path("properties").forEach(CrdsTest::bounded);
      }
      case "string" ->
          assertThat(schema.has("maxLength") || schema.has("enum") || schema.has("format"))
              .as("maxLength of %s", schema)
              .isTrue();
      default -> {}
    }
  }

  private static Set<String> committed() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    }
  }
}
