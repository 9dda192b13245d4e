package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.Wire.POOLS;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.local.WithLocalCluster;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The schema of NodePools as public clients read it and validate their manifests with it (contract
 * §19), on a real API server.
 */
@WithLocalCluster
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SchemaClientsIT {
  private static final String NAME = "asked";

  private final KubernetesClient admin;
  private final Wire wire;

  SchemaClientsIT(KubernetesClient admin) {
    this.admin = admin;
    this.wire = new Wire(admin);
  }

  @BeforeAll
  void install() {
    TestCluster.prepare(admin);
  }

  // kubectl and every client that requests strict validation

  @ParameterizedTest
  @ValueSource(
      strings = {
        // The sample of the reference, verbatim.
        "{'autoscaling': false, 'instanceType': 'gd-8xa100-i128', 'lifecycle': {'disableUnhealthyNodeEviction': true, 'scaleDownStrategy': 'IdleOnly'},"
            + " 'maxNodes': 0, 'minNodes': 0, 'targetNodes': 1}",
        // The page on spot Node Pools.
        "{'region': 'EU-SOUTH-04A', 'computeClass': 'spot', 'instanceType': 'gd-8xh100ib-i128', 'targetNodes': 1}",
        // Every field of the newest reference.
        "{'computeClass': 'default', 'instanceType': 'gb200-4x', 'targetRacks': 1, 'minNodes': 0, 'maxNodes': 0, 'autoscaling': false,"
            + " 'nodeLabels': {'a': 'b'}, 'nodeAnnotations': {'a': 'b'}, 'nodeTaints': [{'key': 'a', 'value': 'b', 'effect': 'NoExecute'}],"
            + " 'image': {'kernel': '6.8', 'name': '', 'releaseTrain': 'latest'}, 'gpu': {'version': '580'},"
            + " 'lifecycle': {'scaleDownStrategy': 'PreferIdle', 'disableUnhealthyNodeEviction': false}, 'nodeConfigurationUpdateStrategy': {'type': 'Always'},"
            + " 'prefill': {'enabled': true, 'timeout': '24h', 'maxNodes': 4}, 'schedulingPriority': {'value': -5}}"
      })
  void aDocumentedManifestPassesStrictValidation(String spec) {
    Wire.Answer answer =
        wire.post(
            POOLS + "?fieldValidation=Strict&dryRun=All", Wire.manifest(NAME, Wire.map(spec)));

    assertThat(Wire.matches(answer.ok().path("spec"), Wire.tree(Wire.map(spec)))).isTrue();
    assertThat(answer.warnings()).isEmpty();
  }

  private Wire.Answer postWithNull(String field) {
    return wire.post(
        POOLS + "?dryRun=All",
        "{'apiVersion': 'compute.coreweave.com/v1alpha1', 'kind': 'NodePool', 'metadata': {'name': 'asked'}, 'spec': {'instanceType': 'x', 'targetNodes': 1, '%s': null}}"
            .formatted(field));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"autoscaling", "computeClass", "lifecycle", "nodeConfigurationUpdateStrategy"})
  void aFieldCreatedAsNullHasItsDefault(String field) {
    JsonNode value = postWithNull(field).ok().path("spec").path(field);

    assertThat(value.isNull() || value.isMissingNode()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "minNodes",
        "maxNodes",
        "targetRacks",
        "nodeLabels",
        "nodeAnnotations",
        "nodeTaints",
        "image",
        "gpu",
        "prefill",
        "schedulingPriority",
        "region"
      })
  void aFieldCreatedAsNullWithoutADefaultIsAbsent(String field) {
    assertThat(postWithNull(field).ok().path("spec").has(field)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'instanceType': 'x', 'targetNodes': 1, 'targetNode': 1} | unknown field \"spec.targetNode\"",
        "{'instanceType': 'x', 'targetNodes': 1, 'lifecycle': {'strategy': 'IdleOnly'}} | unknown field \"spec.lifecycle.strategy\"",
        "{'instanceType': 'x', 'targetNodes': 1, 'nodeTaints': [{'key': 'a', 'operator': 'Exists', 'effect': 'NoExecute'}]} | unknown field \"spec.nodeTaints[0].operator\""
      })
  void anUnknownFieldIsNamed(String spec, String words) {
    Map<String, Object> manifest = Wire.manifest(NAME, Wire.map(spec));

    assertThat(wire.post(POOLS + "?fieldValidation=Strict&dryRun=All", manifest).refused(400))
        .contains(words);
    Wire.Answer warned = wire.post(POOLS + "?fieldValidation=Warn&dryRun=All", manifest);
    warned.ok();
    assertThat(warned.warnings()).singleElement().asString().contains(words.replace("\"", "\\\""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"'3'", "3.5", "true"})
  void aTargetThatIsNotAnIntegerIsRejected(String target) {
    String pool =
        "{'apiVersion': 'compute.coreweave.com/v1alpha1', 'kind': 'NodePool', 'metadata': {'name': 'asked'}, 'spec': {'instanceType': 'x', 'targetNodes': %s}}"
            .formatted(target);

    assertThat(wire.post(POOLS, pool).refused(422)).contains("spec.targetNodes", "integer");
  }

  // kubectl explain, and hashicorp/terraform-provider-kubernetes, which reads the older form

  @Test
  void theSchemaIsPublishedWithADescriptionOfEveryField() {
    JsonNode schemas =
        wire.get("/openapi/v3/apis/compute.coreweave.com/v1alpha1").ok().at("/components/schemas");
    JsonNode older = wire.get("/openapi/v2").ok().path("definitions");
    for (JsonNode definitions : List.of(schemas, older)) {
      JsonNode schema = definitions.path("com.coreweave.compute.v1alpha1.NodePool");
      assertThat(schema.path("x-kubernetes-group-version-kind").toString())
          .contains("\"kind\":\"NodePool\"");
      assertThat(described(schema.at("/properties/spec")))
          .contains("targetNodes", "targetRacks", "minNodes", "nodeTaints", "schedulingPriority");
      assertThat(described(schema.at("/properties/status")))
          .contains("currentNodes", "inProgress", "inProgressNodes", "targetNodes", "conditions");
    }
  }

  /** The names of an object's fields; asserts that each has a description. */
  private static List<String> described(JsonNode schema) {
    assertThat(schema.path("description").asText()).isNotBlank();
    return schema.path("properties").properties().stream()
        .peek(field ->
            assertThat(field.getValue().path("description").asText())
                .as(field.getKey())
                .isNotBlank())
        .map(Map.Entry::getKey)
        .toList();
  }

  @Test
  void clientsDiscoverTheResource() {
    JsonNode resources = wire.get("/apis/compute.coreweave.com/v1alpha1").ok();

    assertThat(Wire.elements(resources.path("resources")))
        .filteredOn(resource -> resource.path("name").asText().equals("nodepools"))
        .singleElement()
        .satisfies(resource -> {
          assertThat(resource.path("kind").asText()).isEqualTo("NodePool");
          assertThat(resource.path("singularName").asText()).isEqualTo("nodepool");
          assertThat(resource.path("namespaced").asBoolean()).isFalse();
          assertThat(Wire.elements(resource.path("verbs")).map(JsonNode::asText))
              .contains("get", "list", "watch", "create", "update", "patch", "delete");
        });
    assertThat(Wire.elements(resources.path("resources")).map(each -> each.path("name").asText()))
        .contains("nodepools/status")
        .doesNotContain("nodepools/scale");
  }
}
