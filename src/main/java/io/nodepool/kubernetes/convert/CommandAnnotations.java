package io.nodepool.kubernetes.convert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Map;
import java.util.Optional;

/**
 * Commands about a pool's configurations as annotations of its NodePool, and the record of the last
 * accepted one: a JSON object with {@code number}, and {@code promote}, {@code rollback} and {@code
 * rollout} as far as they were given.
 */
public final class CommandAnnotations {
  private static final ObjectMapper JSON = new ObjectMapper();

  private CommandAnnotations() {}

  /**
   * The commands of a NodePool.
   *
   * @throws UnreadableObjectException if the record of the last one cannot be read
   */
  static ConfigurationCommands read(Map<String, String> annotations) {
    return new ConfigurationCommands(
        annotations.containsKey(PoolAnnotations.PROMOTE.key()),
        Optional.ofNullable(annotations.get(PoolAnnotations.ROLLBACK.key())),
        Optional.ofNullable(annotations.get(PoolAnnotations.ROLLOUT.key())),
        Optional.ofNullable(annotations.get(PoolAnnotations.ACCEPTED_COMMAND.key()))
            .map(CommandAnnotations::accepted));
  }

  private static ConfigurationCommands.Accepted accepted(String text) {
    JsonNode root;
    try {
      root = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw unreadable(text);
    }
    if (!root.path("number").canConvertToInt() || root.path("number").intValue() < 1) {
      throw unreadable(text);
    }
    return new ConfigurationCommands.Accepted(
        root.path("number").intValue(),
        root.path("promote").asBoolean(),
        text(root, "rollback"),
        text(root, "rollout"));
  }

  private static UnreadableObjectException unreadable(String text) {
    return new UnreadableObjectException(
        "annotation %s is \"%s\"; right would be a JSON object with a number, such as {\"number\":1,\"promote\":true}. Remove it, and give the command again"
            .formatted(PoolAnnotations.ACCEPTED_COMMAND.key(), text));
  }

  private static Optional<String> text(JsonNode root, String field) {
    return root.path(field).isTextual()
        ? Optional.of(root.path(field).textValue())
        : Optional.empty();
  }

  /** The record of an accepted command. */
  public static String write(ConfigurationCommands.Accepted accepted) {
    ObjectNode root = JSON.createObjectNode();
    root.put("number", accepted.number());
    if (accepted.promote()) {
      root.put("promote", true);
    }
    accepted.rollback().ifPresent(profile -> root.put("rollback", profile));
    accepted.rollout().ifPresent(word -> root.put("rollout", word));
    return root.toString();
  }
}
