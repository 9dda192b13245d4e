package io.nodepool.kubernetes.convert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Map;
import java.util.Optional;

/**
 * Commands about a pool's configurations as annotations of its NodePool, and the record of the last
 * accepted one: a JSON object with {@code number}, {@code after}, {@code poolUid}, and {@code
 * promote}, {@code rollback}, {@code rollout} and {@code evict} if they were given.
 */
public final class CommandAnnotations {
  private static final ObjectMapper JSON = new ObjectMapper();

  private CommandAnnotations() {}

  /** The commands in the annotations of the NodePool with this UID. */
  public static ConfigurationCommands read(Map<String, String> annotations, String poolUid) {
    ConfigurationCommands.Asked asked =
        new ConfigurationCommands.Asked(
            text(annotations, PoolAnnotations.PROMOTE)
                .filter(value -> !value.equals(PoolAnnotations.FALSE)),
            text(annotations, PoolAnnotations.ROLLBACK),
            text(annotations, PoolAnnotations.ROLLOUT));
    Optional<String> record = text(annotations, PoolAnnotations.ACCEPTED_COMMAND);
    Optional<JsonNode> root = record.flatMap(CommandAnnotations::json);
    return new ConfigurationCommands(
        asked,
        root.filter(each -> each.path("poolUid").asText(poolUid).equals(poolUid))
            .map(CommandAnnotations::accepted),
        record
            .filter(_ -> root.isEmpty())
            .map(value ->
                "The annotation %s is %s, which is no record of a command; the command in it is not carried out, and has to be given again."
                    .formatted(PoolAnnotations.ACCEPTED_COMMAND.key(), UserText.quoted(value))));
  }

  private static Optional<String> text(
      Map<String, String> annotations, PoolAnnotations annotation) {
    return Optional.ofNullable(annotations.get(annotation.key()));
  }

  /** The record of a command; empty if the text is not such a record. */
  private static Optional<JsonNode> json(String text) {
    try {
      JsonNode root = JSON.readTree(text);
      JsonNode number = root.path("number");
      return isNumber(number) && number.intValue() >= 1 ? Optional.of(root) : Optional.empty();
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private static boolean isNumber(JsonNode value) {
    return value.isInt() && isNumber(value.intValue());
  }

  /**
   * Whether the operator may write this number of a command; 0 means that there was no command yet.
   */
  static boolean isNumber(int value) {
    return value >= 0 && value <= ConfigurationCommands.LAST;
  }

  private static ConfigurationCommands.Accepted accepted(JsonNode root) {
    JsonNode after = root.path("after");
    return new ConfigurationCommands.Accepted(
        root.path("number").intValue(),
        isNumber(after) ? after.intValue() : 0,
        root.path("promote").asBoolean(),
        text(root, "rollback"),
        text(root, "rollout"),
        root.path("evict").asBoolean());
  }

  private static Optional<String> text(JsonNode root, String field) {
    return root.path(field).isTextual()
        ? Optional.of(root.path(field).textValue())
        : Optional.empty();
  }

  /** The record of an accepted command of the pool with this UID. */
  public static String write(ConfigurationCommands.Accepted accepted, String poolUid) {
    ObjectNode root = JSON.createObjectNode();
    root.put("number", accepted.number());
    if (accepted.after() > 0) {
      root.put("after", accepted.after());
    }
    root.put("poolUid", poolUid);
    if (accepted.promote()) {
      root.put("promote", true);
    }
    accepted.rollback().ifPresent(profile -> root.put("rollback", profile));
    accepted.rollout().ifPresent(word -> root.put("rollout", word));
    if (accepted.evict()) {
      root.put("evict", true);
    }
    return root.toString();
  }
}
