package io.nodepool.world;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.kubernetes.client.Reply;
import java.util.Optional;

/**
 * JSON patches of objects as the API server applies them. A test for null holds where a field is
 * absent; what contains the field must exist for every operation.
 */
final class ServerPatch {
  private ServerPatch() {}

  /** Changes the object, and returns why the server refuses the patch, or nothing. */
  static Optional<String> apply(JsonNode object, JsonNode patch) {
    for (JsonNode operation : patch) {
      String path = operation.path("path").asText();
      int last = path.lastIndexOf('/');
      String field = path.substring(last + 1).replace("~1", "/").replace("~0", "~");
      boolean done =
          object.at(path.substring(0, last)) instanceof ObjectNode parent
              && apply(parent, field, operation);
      if (!done) {
        return Optional.of("HTTP 422: " + Reply.PATCH_FAILED + ": " + operation);
      }
    }
    return Optional.empty();
  }

  private static boolean apply(ObjectNode parent, String field, JsonNode operation) {
    JsonNode value = operation.path("value");
    return switch (operation.path("op").asText()) {
      case "test" -> parent.has(field) ? parent.get(field).equals(value) : value.isNull();
      case "add" -> {
        parent.set(field, value);
        yield true;
      }
      case "remove" -> parent.remove(field) != null;
      default -> throw new IllegalArgumentException("not an operation: " + operation);
    };
  }
}
