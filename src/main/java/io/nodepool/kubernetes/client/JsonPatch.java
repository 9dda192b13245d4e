package io.nodepool.kubernetes.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** A JSON patch (RFC 6902): tests, then changes, applied all or none. Paths are JSON pointers. */
public final class JsonPatch {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final ArrayNode operations = NODES.arrayNode();

  /** A key as one segment of a path. */
  public static String pointer(String key) {
    return key.replace("~", "~0").replace("/", "~1");
  }

  /** The value at the path must be this one, as JSON. */
  public JsonPatch test(String path, Object value) {
    return operation("test", path, value);
  }

  /** There must be no value at the path. */
  public JsonPatch testAbsent(String path) {
    return test(path, NODES.nullNode());
  }

  /** The value at the path must be this one; if it is empty, there must be none. */
  public JsonPatch testOrAbsent(String path, String value) {
    return value.isEmpty() ? testAbsent(path) : test(path, value);
  }

  /** Sets the value at the path, as JSON, whether or not one exists. */
  public JsonPatch set(String path, Object value) {
    return operation("add", path, value);
  }

  /** Removes the value at the path, which must exist. */
  public JsonPatch remove(String path) {
    ObjectNode operation = operations.addObject();
    operation.put("op", "remove");
    operation.put("path", path);
    return this;
  }

  private JsonPatch operation(String name, String path, Object value) {
    ObjectNode operation = operations.addObject();
    operation.put("op", name);
    operation.put("path", path);
    operation.set("value", JSON.valueToTree(value));
    return this;
  }

  /** The patch as JSON. */
  public String json() {
    return operations.toString();
  }
}
