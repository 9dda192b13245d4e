package io.nodepool.drill.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import io.nodepool.GeneratedText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The schema of scenarios has the fields that are read; {@code -Dreference.write=true} writes it.
 */
class ScenarioSchemaTest {
  private static final Path FILE = Path.of("deploy", "drills", "scenario.schema.json");
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Fields that are no texts, by their names. */
  private static final Map<String, String> TYPES =
      Map.of(
          "to", "integer",
          "nodes", "integer",
          "replicas", "integer",
          "count", "integer",
          "immediate", "boolean",
          "false", "boolean",
          "machines", "array",
          "nodePool", "object");

  private static ObjectNode object(Set<String> properties) {
    ObjectNode object = JSON.createObjectNode();
    object.put("type", "object").put("additionalProperties", false);
    ObjectNode all = object.putObject("properties");
    new TreeSet<>(properties)
        .forEach(each -> all.putObject(each).put("type", TYPES.getOrDefault(each, "string")));
    return object;
  }

  private static String generated() {
    ObjectNode schema = JSON.createObjectNode();
    schema.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.put("title", "A scenario of nodepool drill");
    schema.setAll(object(ScenarioDocument.FIELDS));
    schema.putArray("required").add("lasts").add("dataCentre");
    ObjectNode properties = (ObjectNode) schema.get("properties");
    properties.putObject("dataCentre").put("type", "object");
    properties.set("autoscaler", object(ScenarioDocument.AUTOSCALER));
    ObjectNode manifests = properties.putObject("objects").put("type", "array");
    manifests.putObject("items").put("type", "object");
    ObjectNode entries = properties.putObject("script").put("type", "array");
    ObjectNode entry = object(ScriptDocument.TIMES);
    new TreeMap<>(ScriptDocument.fields())
        .forEach(
            (deed, fields) -> ((ObjectNode) entry.get("properties")).set(deed, object(fields)));
    entries.set("items", entry);
    ObjectNode expectations = properties.putObject("expect").put("type", "array");
    expectations.set("items", object(ScenarioDocument.EXPECTATION));
    return schema.toPrettyString() + "\n";
  }

  @Test
  void theSchemaHasTheFieldsThatAreRead() throws IOException {
    if (Boolean.getBoolean("reference.write")) {
      Files.writeString(FILE, generated());
    }
    GeneratedText.assertSame(
        FILE, generated(), GeneratedText.writing(ScenarioSchemaTest.class, "reference.write"));
  }

  @ParameterizedTest
  @MethodSource("io.nodepool.drill.ReadyMadeDrills#files")
  void readyMadeScenariosFitTheSchema(Path file) throws IOException {
    assertThat(
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(Files.readString(FILE))
                .validate(
                    new YAMLMapper().readTree(Files.readString(file)).toString(),
                    com.networknt.schema.InputFormat.JSON))
        .isEmpty();
  }
}
