package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Sends requests as a client's source spells them, as paths and JSON texts without types of this
 * project, and returns the answer unchanged.
 */
final class Wire {
  static final String POOLS = "/apis/compute.coreweave.com/v1alpha1/nodepools";
  static final String JSON = "application/json";
  static final String MERGE_PATCH = "application/merge-patch+json";
  static final String JSON_PATCH = "application/json-patch+json";
  static final String APPLY = "application/apply-patch+yaml";
  static final String TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final KubernetesClient client;

  Wire(KubernetesClient client) {
    this.client = client;
  }

  /**
   * An answer.
   *
   * @param warnings the texts of the headers {@code Warning}
   */
  record Answer(int code, String text, List<String> warnings) {
    /** The body of an answer; asserts success. */
    JsonNode ok() {
      assertThat(code).as(text).isBetween(200, 299);
      return body();
    }

    JsonNode body() {
      return parse(text);
    }

    /** The message of a refusal; asserts this code. */
    String refused(int expected) {
      assertThat(code).as(text).isEqualTo(expected);
      return body().path("message").asText();
    }
  }

  Answer get(String path) {
    return get(path, JSON);
  }

  Answer get(String path, String accept) {
    return send(request(path).header("Accept", accept));
  }

  Answer post(String path, Object body) {
    return send(request(path).header("Accept", JSON).post(JSON, text(body)));
  }

  Answer patch(String path, String contentType, Object body) {
    return send(request(path).header("Accept", JSON).method("PATCH", contentType, text(body)));
  }

  Answer delete(String path) {
    return send(request(path).header("Accept", JSON).delete(JSON, ""));
  }

  /** The lines of a watch since a version; it ends by itself. */
  List<JsonNode> watch(String path, String since) {
    Answer answer = get(path + "?watch=true&timeoutSeconds=1&resourceVersion=" + since);
    assertThat(answer.code()).as(answer.text()).isEqualTo(200);
    return answer.text().lines().map(Wire::parse).toList();
  }

  private HttpRequest.Builder request(String path) {
    String master = client.getConfiguration().getMasterUrl();
    return client
        .getHttpClient()
        .newHttpRequestBuilder()
        .uri(master.substring(0, master.length() - 1) + path);
  }

  private Answer send(HttpRequest.Builder request) {
    HttpResponse<String> response =
        client.getHttpClient().sendAsync(request.build(), String.class).join();
    String body = response.body() == null ? "" : response.body();
    return new Answer(response.code(), body, List.copyOf(response.headers("Warning")));
  }

  /** The JSON of a text, in which single quotes stand for double ones, or of maps and lists. */
  private static String text(Object body) {
    try {
      return body instanceof String text
          ? text.replace('\'', '"')
          : MAPPER.writeValueAsString(body);
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  /** JSON text as a tree. */
  static JsonNode parse(String text) {
    try {
      return text.isEmpty() ? MissingNode.getInstance() : MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new AssertionError(text, e);
    }
  }

  /** The fields of a JSON object; single quotes stand for double ones. */
  static Map<String, Object> map(String json) {
    Map<String, Object> fields = new LinkedHashMap<>();
    parse(json.replace('\'', '"'))
        .properties()
        .forEach(field -> fields.put(field.getKey(), field.getValue()));
    return fields;
  }

  /** The manifest of a NodePool. */
  static Map<String, Object> manifest(String name, Map<String, Object> spec) {
    return Map.of(
        "apiVersion",
        "compute.coreweave.com/v1alpha1",
        "kind",
        "NodePool",
        "metadata",
        Map.of("name", name),
        "spec",
        spec);
  }

  /** Maps and lists as a JSON tree. */
  static JsonNode tree(Map<String, Object> value) {
    return MAPPER.valueToTree(value);
  }

  /** Whether a stored object has the desired values; fields that are not desired are ignored. */
  static boolean matches(JsonNode stored, JsonNode wish) {
    if (wish.isObject()) {
      return stored.isObject()
          && wish.properties().stream()
              .allMatch(field ->
                  stored.has(field.getKey())
                      && matches(stored.get(field.getKey()), field.getValue()));
    }
    if (wish.isArray()) {
      boolean same = stored.isArray() && stored.size() == wish.size();
      for (int i = 0; same && i < wish.size(); i++) {
        same = matches(stored.get(i), wish.get(i));
      }
      return same;
    }
    return stored.equals(wish);
  }

  /** The version of an object. */
  static String version(JsonNode object) {
    return object.at("/metadata/resourceVersion").asText();
  }

  /** The elements of an array. */
  static Stream<JsonNode> elements(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false);
  }

  /** The objects of a list. */
  static Stream<JsonNode> items(JsonNode list) {
    return elements(list.path("items"));
  }
}
