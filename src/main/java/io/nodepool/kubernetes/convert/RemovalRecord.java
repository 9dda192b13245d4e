package io.nodepool.kubernetes.convert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.model.node.Removal;
import io.nodepool.vocabulary.RemovalCause;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The stage of a Node's removal as the text of its annotation: compact JSON. */
public final class RemovalRecord {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String STAGE = "stage";
  private static final String CAUSE = "cause";
  private static final String AT = "at";
  private static final String CORDON = "cordon";
  private static final String FORCE_AT = "forceAt";
  private static final String UNTIL = "until";
  private static final String REQUESTED = "requested";

  private RemovalRecord() {}

  /** The text for this stage. */
  public static String write(Removal removal) {
    ObjectNode record = JsonNodeFactory.instance.objectNode();
    switch (removal) {
      case Removal.Requested(Instant at) -> record.put(STAGE, "Requested").put(AT, at.toString());
      case Removal.Marked(RemovalCause cause, Instant at, boolean ownCordon) ->
          record
              .put(STAGE, "Marked")
              .put(CAUSE, cause.word())
              .put(AT, at.toString())
              .put(CORDON, ownCordon);
      case Removal.PassedOver(Instant at, Instant until, boolean requested) ->
          record
              .put(STAGE, "PassedOver")
              .put(AT, at.toString())
              .put(UNTIL, until.toString())
              .put(REQUESTED, requested);
      case Removal.Draining(RemovalCause cause, Instant at, Instant forceAt) ->
          record
              .put(STAGE, "Draining")
              .put(CAUSE, cause.word())
              .put(AT, at.toString())
              .put(FORCE_AT, forceAt.toString());
    }
    return record.toString();
  }

  /**
   * The stage in a text; empty without a text.
   *
   * @throws UnreadableObjectException if the text is not in the form of this version; a later
   *     version may have written it, and it must not count as absent
   */
  public static Optional<Removal> read(@Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(removal(MAPPER.readTree(text)));
    } catch (JsonProcessingException | DateTimeException | IllegalArgumentException e) {
      throw new UnreadableObjectException(
          "annotation %s is no record of a removal that this version writes: %s"
              .formatted(NodeAnnotations.REMOVAL.key(), text));
    }
  }

  private static Removal removal(JsonNode record) {
    Instant at = instant(record, AT);
    return switch (record.path(STAGE).asText()) {
      case "Requested" -> new Removal.Requested(at);
      case "Marked" -> new Removal.Marked(cause(record), at, record.path(CORDON).asBoolean());
      case "PassedOver" ->
          new Removal.PassedOver(at, instant(record, UNTIL), record.path(REQUESTED).asBoolean());
      case "Draining" -> new Removal.Draining(cause(record), at, instant(record, FORCE_AT));
      default -> throw new IllegalArgumentException("unknown stage");
    };
  }

  private static Instant instant(JsonNode record, String field) {
    return Instant.parse(record.path(field).asText());
  }

  private static RemovalCause cause(JsonNode record) {
    return RemovalCause.of(record.path(CAUSE).asText())
        .orElseThrow(() -> new IllegalArgumentException("unknown cause"));
  }
}
