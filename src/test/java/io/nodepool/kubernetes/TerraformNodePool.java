package io.nodepool.kubernetes;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The resource {@code coreweave_cks_node_pool} of {@code coreweave/terraform-provider-coreweave}: a
 * user's configuration, with null for what is omitted. As in its source, it omits empty values of a
 * new object, sends null for removed ones, and reads an object back into the same form; Terraform
 * fails if that differs from the plan.
 */
record TerraformNodePool(
    String name,
    String instanceType,
    long targetNodes,
    String computeClass,
    boolean autoscaling,
    @Nullable Long minNodes,
    @Nullable Long maxNodes,
    @Nullable Map<String, String> labels,
    @Nullable Map<String, String> annotations,
    @Nullable List<Taint> taints,
    String updateStrategy) {

  /** A taint; the value defaults to empty text. */
  record Taint(String key, String value, String effect) {}

  /** A pool without optional fields. */
  static TerraformNodePool minimal(String name, String instanceType, long targetNodes) {
    return new TerraformNodePool(
        name,
        instanceType,
        targetNodes,
        "default",
        false,
        null,
        null,
        null,
        null,
        null,
        "OnSpecUpdate");
  }

  TerraformNodePool sized(long target, boolean autoscaled, @Nullable Long min, @Nullable Long max) {
    return new TerraformNodePool(
        name,
        instanceType,
        target,
        computeClass,
        autoscaled,
        min,
        max,
        labels,
        annotations,
        taints,
        updateStrategy);
  }

  TerraformNodePool with(
      @Nullable Map<String, String> nextLabels,
      @Nullable Map<String, String> nextAnnotations,
      @Nullable List<Taint> nextTaints) {
    return new TerraformNodePool(
        name,
        instanceType,
        targetNodes,
        computeClass,
        autoscaling,
        minNodes,
        maxNodes,
        nextLabels,
        nextAnnotations,
        nextTaints,
        updateStrategy);
  }

  TerraformNodePool updated(String strategy) {
    return new TerraformNodePool(
        name,
        instanceType,
        targetNodes,
        computeClass,
        autoscaling,
        minNodes,
        maxNodes,
        labels,
        annotations,
        taints,
        strategy);
  }

  /** The body of its POST. */
  Map<String, Object> manifest() {
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("instanceType", instanceType);
    spec.put("targetNodes", targetNodes);
    spec.put("computeClass", computeClass);
    unlessEmpty(spec, "autoscaling", autoscaling ? true : null);
    unlessEmpty(spec, "minNodes", minNodes);
    unlessEmpty(spec, "maxNodes", maxNodes);
    unlessEmpty(spec, "nodeLabels", labels);
    unlessEmpty(spec, "nodeAnnotations", annotations);
    unlessEmpty(spec, "nodeTaints", taints);
    spec.put("nodeConfigurationUpdateStrategy", Map.of("type", updateStrategy));
    return Wire.manifest(name, spec);
  }

  private static void unlessEmpty(Map<String, Object> spec, String field, @Nullable Object value) {
    if (value != null) {
      spec.put(field, value);
    }
  }

  /** The body of its PATCH. */
  Map<String, Object> patch() {
    Map<String, Object> spec = new LinkedHashMap<>();
    spec.put("targetNodes", targetNodes);
    spec.put("autoscaling", autoscaling);
    spec.put("minNodes", minNodes);
    spec.put("maxNodes", maxNodes);
    spec.put("nodeLabels", labels);
    spec.put("nodeAnnotations", annotations);
    spec.put("nodeTaints", taints);
    spec.put("nodeConfigurationUpdateStrategy", Map.of("type", updateStrategy));
    return Map.of("spec", spec);
  }

  /** The configuration of an object as read. */
  static TerraformNodePool read(JsonNode object) {
    JsonNode spec = object.path("spec");
    return new TerraformNodePool(
        object.at("/metadata/name").asText(),
        spec.path("instanceType").asText(),
        spec.path("targetNodes").asLong(),
        spec.path("computeClass").asText("default"),
        spec.path("autoscaling").asBoolean(),
        integer(spec.path("minNodes")),
        integer(spec.path("maxNodes")),
        texts(spec.path("nodeLabels")),
        texts(spec.path("nodeAnnotations")),
        taints(spec.path("nodeTaints")),
        spec.at("/nodeConfigurationUpdateStrategy/type").asText("OnSpecUpdate"));
  }

  private static @Nullable Long integer(JsonNode value) {
    return value.isMissingNode() ? null : value.asLong();
  }

  private static @Nullable Map<String, String> texts(JsonNode object) {
    if (object.isMissingNode()) {
      return null;
    }
    Map<String, String> texts = new TreeMap<>();
    object.properties().forEach(entry -> texts.put(entry.getKey(), entry.getValue().asText()));
    return texts;
  }

  private static @Nullable List<Taint> taints(JsonNode list) {
    if (list.isMissingNode()) {
      return null;
    }
    List<Taint> taints = new ArrayList<>();
    list.forEach(taint ->
        taints.add(
            new Taint(
                taint.path("key").asText(),
                taint.path("value").asText("absent"),
                taint.path("effect").asText())));
    return taints;
  }
}
