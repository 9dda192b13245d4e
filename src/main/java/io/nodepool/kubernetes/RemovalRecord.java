package io.nodepool.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.model.Removal;
import io.nodepool.vocabulary.RemovalCause;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where a Node stands on its way out, as the text of its annotation: compact JSON. */
public final class RemovalRecord {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String STAGE = "stage";
  private static final String CAUSE = "cause";
  private static final String AT = "at";
  private static final String CORDON = "cordon";
  private static final String FORCE_AT = "forceAt";

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
      case Removal.Draining(RemovalCause cause, Instant at, Instant forceAt) ->
          record
              .put(STAGE, "Draining")
              .put(CAUSE, cause.word())
              .put(AT, at.toString())
              .put(FORCE_AT, forceAt.toString());
    }
    return record.toString();
  }

  /** The stage that a text tells of; empty without one, or where it is not as we write it. */
  public static Optional<Removal> read(@Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    try {
      JsonNode record = MAPPER.readTree(text);
      Instant at = Instant.parse(record.path(AT).asText());
      Optional<RemovalCause> cause = RemovalCause.of(record.path(CAUSE).asText());
      return switch (record.path(STAGE).asText()) {
        case "Requested" -> Optional.of(new Removal.Requested(at));
        case "Marked" ->
            cause.map(each -> new Removal.Marked(each, at, record.path(CORDON).asBoolean()));
        case "Draining" -> {
          Instant forceAt = Instant.parse(record.path(FORCE_AT).asText());
          yield cause.map(each -> new Removal.Draining(each, at, forceAt));
        }
        default -> Optional.empty();
      };
    } catch (JsonProcessingException | DateTimeException e) {
      return Optional.empty();
    }
  }
}
