package io.nodepool.kubernetes.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.client.CustomResource;
import io.nodepool.kubernetes.api.schema.DateTime;
import io.nodepool.kubernetes.api.schema.KeyedBy;
import io.nodepool.kubernetes.api.schema.OneOf;
import io.nodepool.vocabulary.NotActedOn;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Completes a generated CRD with what the generator cannot express: keyed lists, allowed spellings,
 * date-times, integer formats, descriptions of whole objects, the order of the columns, and bounds
 * as integers.
 */
final class CrdSchema {
  private static final Map<Class<?>, String> INTEGER_FORMATS =
      Map.of(int.class, "int32", Integer.class, "int32", long.class, "int64", Long.class, "int64");

  /** The end of the description of a field that is not acted on yet, nor are the fields in it. */
  static final String NOT_ACTED_ON = " Not acted on yet.";

  private final Class<? extends CustomResource<?, ?>> kind;

  CrdSchema(Class<? extends CustomResource<?, ?>> kind) {
    this.kind = kind;
  }

  /** Completes the CRD of the kind in place. */
  void complete(ObjectNode crd) {
    for (JsonNode version : crd.at("/spec/versions")) {
      ObjectNode root = (ObjectNode) version.at("/schema/openAPIV3Schema");
      describe(root, kind);
      Type[] types = ((ParameterizedType) kind.getGenericSuperclass()).getActualTypeArguments();
      completeObject((ObjectNode) root.at("/properties/spec"), (Class<?>) types[0]);
      if (types[1] == Void.class) {
        ((ObjectNode) root.at("/properties")).remove("status");
      } else {
        completeObject((ObjectNode) root.at("/properties/status"), (Class<?>) types[1]);
      }
      orderColumns((ArrayNode) version.get("additionalPrinterColumns"));
    }
    integers(crd);
  }

  private static void completeObject(ObjectNode schema, Class<?> type) {
    describe(schema, type);
    for (Field field : fields(type)) {
      JsonNode property = schema.path("properties").path(name(field));
      if (!(property instanceof ObjectNode object)) {
        throw new IllegalStateException(
            "no schema for " + type.getSimpleName() + "." + name(field));
      }
      completeField(object, field);
    }
  }

  /** The name of a property, which may be a word that is no name in Java. */
  private static String name(Field field) {
    JsonProperty named = field.getAnnotation(JsonProperty.class);
    return named == null || named.value().isEmpty() ? field.getName() : named.value();
  }

  private static void completeField(ObjectNode schema, Field field) {
    if (field.isAnnotationPresent(DateTime.class)) {
      schema.put("format", "date-time");
    }
    if (field.isAnnotationPresent(OneOf.class)) {
      fill(schema.putArray("enum"), field.getAnnotation(OneOf.class).value());
    }
    if (field.isAnnotationPresent(KeyedBy.class)) {
      schema.put("x-kubernetes-list-type", "map");
      fill(
          schema.putArray("x-kubernetes-list-map-keys"),
          field.getAnnotation(KeyedBy.class).value());
    }
    if (field.getType() == Object.class) {
      // Text now, and an object of an earlier version.
      schema.remove("type");
      schema.put("x-kubernetes-preserve-unknown-fields", true);
    }
    describeDefault(schema);
    describeNotActedOn(schema, field);
    String format = INTEGER_FORMATS.get(field.getType());
    if (format != null) {
      schema.put("format", format);
    }
    if (List.class.isAssignableFrom(field.getType())) {
      recurse((ObjectNode) schema.get("items"), argument(field, 0));
    } else if (Map.class.isAssignableFrom(field.getType())) {
      recurse((ObjectNode) schema.get("additionalProperties"), argument(field, 1));
    } else {
      recurse(schema, field.getType());
    }
  }

  private static Class<?> argument(Field field, int place) {
    return (Class<?>) ((ParameterizedType) field.getGenericType()).getActualTypeArguments()[place];
  }

  /** Adds a default to the description too, since {@code kubectl explain} shows none. */
  private static void describeDefault(ObjectNode schema) {
    JsonNode value = schema.path("default");
    if (value.isValueNode() && !value.isMissingNode()) {
      schema.put(
          "description", schema.path("description").asText() + " Default: " + value.asText() + ".");
    }
  }

  private static void describeNotActedOn(ObjectNode schema, Field field) {
    if (field.isAnnotationPresent(NotActedOn.class)) {
      schema.put("description", schema.path("description").asText() + NOT_ACTED_ON);
    }
  }

  private static void recurse(ObjectNode schema, Class<?> type) {
    if (type.getPackage() == CrdSchema.class.getPackage() && !type.isEnum()) {
      completeObject(schema, type);
    }
  }

  private static List<Field> fields(Class<?> type) {
    List<Field> fields = new ArrayList<>();
    for (Class<?> c = type; c != Object.class; c = c.getSuperclass()) {
      for (Field field : c.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())
            && !Modifier.isTransient(field.getModifiers())
            && !field.isSynthetic()) {
          fields.add(field);
        }
      }
    }
    return fields;
  }

  private static void describe(ObjectNode schema, Class<?> type) {
    JsonClassDescription description = type.getAnnotation(JsonClassDescription.class);
    if (description != null && !schema.has("description")) {
      schema.put("description", description.value());
    }
  }

  private void orderColumns(ArrayNode columns) {
    List<JsonNode> ordered = new ArrayList<>();
    for (AdditionalPrinterColumn declared :
        kind.getAnnotationsByType(AdditionalPrinterColumn.class)) {
      for (JsonNode column : columns) {
        if (column.path("name").asText().equals(declared.name())) {
          ordered.add(column);
        }
      }
    }
    if (ordered.size() != columns.size()) {
      throw new IllegalStateException(
          "columns of " + kind.getSimpleName() + " are missing or there twice");
    }
    columns.removeAll();
    columns.addAll(ordered);
  }

  private static void fill(ArrayNode array, String... values) {
    for (String value : values) {
      array.add(value);
    }
  }

  /** Writes whole numbers without a fraction; the generator writes {@code minimum: 0.0}. */
  private static void integers(JsonNode node) {
    if (node instanceof ObjectNode object) {
      object
          .properties()
          .forEach(entry -> {
            if (entry.getValue().isFloatingPointNumber()
                && entry.getValue().canConvertToExactIntegral()) {
              entry.setValue(LongNode.valueOf(entry.getValue().longValue()));
            }
          });
    }
    node.forEach(CrdSchema::integers);
  }
}
