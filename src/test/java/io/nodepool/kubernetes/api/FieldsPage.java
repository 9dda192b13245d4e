package io.nodepool.kubernetes.api;

import static io.nodepool.kubernetes.api.Markdown.code;
import static io.nodepool.kubernetes.api.Markdown.row;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.kubernetes.api.schema.ApiText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The page with the fields of all resources, generated from the CRDs. */
final class FieldsPage {
  private static final List<String> BOUNDS =
      List.of(
          "minimum", "maximum", "minLength", "maxLength", "maxItems", "maxProperties", "pattern");

  private final List<List<String>> fields = new ArrayList<>();
  private final List<String> rules = new ArrayList<>();

  private FieldsPage() {}

  /** The page. */
  static String text() {
    Markdown page =
        new Markdown("Fields")
            .paragraph(
                "The fields of the resources, as `kubectl explain` shows them. All kinds are cluster-scoped; a `status` is a"
                    + " subresource. `kubectl get "
                    + ApiText.CATEGORY
                    + "` lists them together. Fields with `no` under \"acted on yet\" are accepted and stored, and have no effect yet.");
    CrdFiles.KINDS.forEach(kind -> kind(page, CrdFiles.tree(kind)));
    return page.text();
  }

  private static void kind(Markdown page, JsonNode crd) {
    JsonNode version = crd.at("/spec/versions/0");
    JsonNode root = version.at("/schema/openAPIV3Schema");
    page.heading(crd.at("/spec/names/kind").asText())
        .paragraph(
            code(crd.at("/spec/group").asText() + "/" + version.path("name").asText()) + names(crd))
        .paragraph(root.path("description").asText());
    FieldsPage found = new FieldsPage();
    found.rules("the object", root);
    found.properties("", root, true);
    page.table(row("Field", "Type", "Default", "Limits", "Acted on yet", "Meaning"), found.fields);
    if (!found.rules.isEmpty()) {
      page.paragraph("The API server rejects an object that breaks one of these rules:")
          .points(found.rules);
    }
  }

  private static String names(JsonNode crd) {
    StringBuilder names =
        new StringBuilder(", ").append(code(crd.at("/spec/names/plural").asText()));
    crd.at("/spec/names/shortNames")
        .forEach(name -> names.append(", ").append(code(name.asText())));
    return names.toString();
  }

  private void properties(String path, JsonNode schema, boolean parentIsActedOn) {
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      String name = path.isEmpty() ? property.getKey() : path + "." + property.getKey();
      JsonNode value = property.getValue();
      boolean actedOn =
          parentIsActedOn && !value.path("description").asText().endsWith(CrdSchema.NOT_ACTED_ON);
      fields.add(
          row(
              code(name),
              type(value),
              defaultOf(value),
              limits(schema, property.getKey(), value),
              actedOn ? "yes" : "no",
              meaning(value)));
      rules(code(name), value);
      rules(code(name + "[]"), value.path("items"));
      properties(name, value, actedOn);
      properties(name + "[]", value.path("items"), actedOn);
    }
  }

  /** The description, without the parts that have their own columns. */
  private static String meaning(JsonNode schema) {
    return schema
        .path("description")
        .asText()
        .replace(" Default: " + schema.path("default").asText() + ".", "")
        .replace(CrdSchema.NOT_ACTED_ON, "");
  }

  private static String type(JsonNode schema) {
    String type = schema.path("type").asText();
    if (schema.has("enum")) {
      List<String> words = new ArrayList<>();
      schema.get("enum").forEach(word -> words.add(code(word.asText())));
      return String.join(", ", words);
    }
    return switch (type) {
      case "array" -> "list of " + schema.at("/items/type").asText();
      case "object" -> schema.has("additionalProperties") ? "map of string" : "object";
      case "integer" -> schema.path("format").asText("integer");
      default -> schema.path("format").asText(type);
    };
  }

  private static String defaultOf(JsonNode schema) {
    JsonNode value = schema.path("default");
    return value.isMissingNode() || value.isObject() ? "" : code(value.asText());
  }

  private static String limits(JsonNode parent, String name, JsonNode schema) {
    List<String> limits = new ArrayList<>();
    for (JsonNode required : parent.path("required")) {
      if (required.asText().equals(name)) {
        limits.add("required");
      }
    }
    for (String bound : BOUNDS) {
      if (schema.has(bound)) {
        limits.add(bound + " " + code(schema.get(bound).asText()));
      }
    }
    if (schema.has("x-kubernetes-list-map-keys")) {
      List<String> keys = new ArrayList<>();
      schema.get("x-kubernetes-list-map-keys").forEach(key -> keys.add(code(key.asText())));
      limits.add("one for each " + String.join(" and ", keys));
    }
    return String.join(", ", limits);
  }

  private void rules(String where, JsonNode schema) {
    for (JsonNode rule : schema.path("x-kubernetes-validations")) {
      rules.add(
          where
              + ": "
              + rule.path("message").asText()
              + " ("
              + code(rule.path("rule").asText())
              + ")");
    }
  }
}
