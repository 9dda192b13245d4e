package io.nodepool.kubernetes.convert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The record of the metadata that was applied to a Node, as text: compact JSON with {@code labels},
 * {@code annotations} and {@code taints}, keys sorted, empty parts and empty taint values omitted.
 * Equal content gives equal text, so that the server can compare it.
 */
public final class AppliedMetadata {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private AppliedMetadata() {}

  /** The text for this content. */
  public static String write(NodeTemplate applied) {
    ObjectNode record = JsonNodeFactory.instance.objectNode();
    write(record, "labels", applied.labels());
    write(record, "annotations", applied.annotations());
    if (!applied.taints().isEmpty()) {
      ArrayNode taints = record.putArray("taints");
      applied.taints().forEach(taint -> taints.add(json(taint)));
    }
    return record.toString();
  }

  private static void write(ObjectNode record, String name, SortedMap<String, String> map) {
    if (!map.isEmpty()) {
      record.set(name, MAPPER.valueToTree(map));
    }
  }

  /** A taint as the API encodes it. */
  public static ObjectNode json(Taint taint) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("key", taint.key());
    if (!taint.value().isEmpty()) {
      json.put("value", taint.value());
    }
    return json.put("effect", taint.effect());
  }

  /**
   * The content of a record; empty if there is no text, or if it is not in the form that {@link
   * #write} gives.
   */
  public static Optional<NodeTemplate> read(@Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    try {
      JsonNode record = MAPPER.readTree(text);
      List<Taint> taints = new ArrayList<>();
      for (JsonNode taint : record.path("taints")) {
        taints.add(
            new Taint(
                taint.path("key").asText(),
                taint.path("value").asText(),
                taint.path("effect").asText()));
      }
      NodeTemplate applied =
          new NodeTemplate(map(record.path("labels")), map(record.path("annotations")), taints);
      return write(applied).equals(text) ? Optional.of(applied) : Optional.empty();
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private static SortedMap<String, String> map(JsonNode part) {
    SortedMap<String, String> map = new TreeMap<>();
    part.properties().forEach(entry -> map.put(entry.getKey(), entry.getValue().asText()));
    return map;
  }
}
