package io.nodepool.kubernetes.convert;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.DisruptionNotes;
import io.nodepool.model.node.DrainStage;
import io.nodepool.plan.disruption.cause.CauseKind;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.ScaleDownCause;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.Word;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The stage of a Node's disruption as the text of its annotation: compact JSON with a version.
 * Records without a version, which contain one cause, are read too.
 */
public final class DisruptionRecord {
  /** The version that is written. */
  private static final int VERSION = 1;

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String SEQUENCE = "seq";
  private static final String STAGE = "stage";
  private static final String CAUSES = "causes";
  private static final String CAUSE = "cause";
  private static final String REFERENCE = "ref";
  private static final String AT = "at";
  private static final String CORDON = "cordon";
  private static final String ENDING = "ending";
  private static final String BOOT = "boot";
  private static final String FORCE_AT = "forceAt";
  private static final String STOP_AT = "stopAt";
  private static final String DRAIN = "drain";
  private static final String PASSED_OVER = "passedOver";
  private static final String UNTIL = "until";
  private static final String REQUESTED = "requested";
  private static final String UNMET = "unmet";

  private DisruptionRecord() {}

  /** The text for this stage. */
  public static String write(Disruption disruption) {
    ObjectNode record = JsonNodeFactory.instance.objectNode();
    record.put("v", VERSION).put(SEQUENCE, disruption.sequence());
    switch (disruption) {
      case Disruption.Requested requested ->
          record.put(STAGE, "Requested").put(AT, requested.at().toString());
      case Disruption.Admitted admitted -> {
        active(record.put(STAGE, "Admitted"), admitted);
        if (admitted.notes().passedOver().isAfter(Instant.MIN)) {
          record.put(PASSED_OVER, admitted.notes().passedOver().toString());
        }
        if (admitted.notes().requested()) {
          record.put(REQUESTED, true);
        }
      }
      case Disruption.PassedOver passed -> {
        record
            .put(STAGE, "PassedOver")
            .put(AT, passed.at().toString())
            .put(UNTIL, passed.until().toString())
            .put(REQUESTED, passed.requested());
        if (!passed.unmet().isEmpty()) {
          record.put(UNMET, passed.unmet());
        }
      }
      case Disruption.Committed committed -> {
        active(record.put(STAGE, "Committed"), committed);
        DisruptionLimits limits = committed.limits();
        record
            .put(AT, committed.at().toString())
            .put(ENDING, word(limits.ending()))
            .put(FORCE_AT, limits.forceAt().toString());
        committed.limits().boot().ifPresent(kind -> record.put(BOOT, kind.word()));
        limits.stopAt().ifPresent(stop -> record.put(STOP_AT, stop.toString()));
        if (committed.drain() != DrainStage.NONE) {
          record.put(DRAIN, word(committed.drain()));
        }
      }
    }
    return record.toString();
  }

  private static void active(ObjectNode record, Disruption.Active active) {
    ArrayNode causes = record.putArray(CAUSES);
    for (Disruption.Cause cause : active.causes()) {
      ObjectNode each = causes.addObject().put(CAUSE, cause.what().word());
      String reference = cause.what().reference();
      if (!reference.isEmpty()) {
        each.put(REFERENCE, reference);
      }
      each.put(AT, cause.at().toString());
    }
    record.put(
        CORDON,
        switch (active.cordon()) {
          case OURS -> "Ours";
          case FOREIGN -> "Foreign";
        });
  }

  /**
   * The stage in a text; empty without a text.
   *
   * @throws UnreadableObjectException if this version cannot read all of the text; a later version
   *     may have written it, and it must not count as absent
   */
  public static Optional<Disruption> read(@Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    try {
      JsonNode record = MAPPER.readTree(text);
      return Optional.of(record.has("v") ? versioned(record) : unversioned(record));
    } catch (JsonProcessingException | DateTimeException | IllegalArgumentException e) {
      throw new UnreadableObjectException(
          "annotation %s is no record of a disruption that this version writes: %s"
              .formatted(NodeAnnotations.REMOVAL.key(), UserText.explanation(text)));
    }
  }

  private static Disruption versioned(JsonNode record) {
    require(record.path("v").asInt() == VERSION && record.path(SEQUENCE).canConvertToInt());
    int sequence = record.path(SEQUENCE).asInt();
    return switch (record.path(STAGE).asText()) {
      case "Requested" -> new Disruption.Requested(sequence, instant(record, AT));
      case "Admitted" ->
          new Disruption.Admitted(
              sequence,
              causes(record),
              cordon(record),
              new DisruptionNotes(
                  optional(record, PASSED_OVER).orElse(Instant.MIN),
                  record.path(REQUESTED).asBoolean()));
      case "PassedOver" ->
          new Disruption.PassedOver(
              sequence,
              instant(record, AT),
              instant(record, UNTIL),
              record.path(REQUESTED).asBoolean(),
              record.path(UNMET).asText());
      case "Committed" ->
          new Disruption.Committed(
              sequence,
              causes(record),
              cordon(record),
              instant(record, AT),
              new DisruptionLimits(
                  ending(record), instant(record, FORCE_AT), optional(record, STOP_AT)),
              drain(record));
      default -> throw new IllegalArgumentException("unknown stage");
    };
  }

  private static String word(DisruptionEnding ending) {
    return switch (ending) {
      case DisruptionEnding.Reboot _ -> "Reboot";
      case DisruptionEnding.Leave _ -> "Leave";
    };
  }

  /** The ending of a committed disruption; this version commits no disruption without an ending. */
  private static DisruptionEnding ending(JsonNode record) {
    return switch (record.path(ENDING).asText()) {
      case "Leave" -> new DisruptionEnding.Leave();
      case "Reboot" ->
          new DisruptionEnding.Reboot(
              Word.of(BootKind.class, record.path(BOOT).asText())
                  .orElseThrow(() -> new IllegalArgumentException("unknown kind of boot")));
      default -> throw new IllegalArgumentException("unknown ending");
    };
  }

  private static String word(DrainStage stage) {
    return switch (stage) {
      case NONE -> "None";
      case BEGUN -> "Begun";
      case BLOCKED -> "Blocked";
      case FORCED -> "Forced";
    };
  }

  /** The stage of the drain. An unknown stage counts as none, and is reported again. */
  private static DrainStage drain(JsonNode record) {
    String text = record.path(DRAIN).asText();
    return Stream.of(DrainStage.values())
        .filter(stage -> word(stage).equals(text))
        .findFirst()
        .orElse(DrainStage.NONE);
  }

  private static List<Disruption.Cause> causes(JsonNode record) {
    List<Disruption.Cause> causes = new ArrayList<>();
    for (JsonNode each : record.path(CAUSES)) {
      causes.add(
          cause(each.path(CAUSE).asText(), each.path(REFERENCE).asText(), instant(each, AT)));
    }
    return causes;
  }

  private static Disruption.Cordon cordon(JsonNode record) {
    return switch (record.path(CORDON).asText()) {
      case "Ours" -> Disruption.Cordon.OURS;
      case "Foreign" -> Disruption.Cordon.FOREIGN;
      default -> throw new IllegalArgumentException("unknown owner of the cordon");
    };
  }

  /** A record without a version, with one cause. */
  private static Disruption unversioned(JsonNode record) {
    Instant at = instant(record, AT);
    return switch (record.path(STAGE).asText()) {
      case "Requested" -> new Disruption.Requested(0, at);
      case "Marked" -> {
        Disruption.Cause cause = onlyCause(record, at);
        yield new Disruption.Admitted(
            0,
            List.of(cause),
            record.path(CORDON).asBoolean() ? Disruption.Cordon.OURS : Disruption.Cordon.FOREIGN,
            new DisruptionNotes(Instant.MIN, cause.what().isRemovalRequest()));
      }
      case "PassedOver" ->
          new Disruption.PassedOver(
              0, at, instant(record, UNTIL), record.path(REQUESTED).asBoolean());
      case "Draining" ->
          new Disruption.Committed(
              0,
              List.of(onlyCause(record, at)),
              Disruption.Cordon.OURS,
              at,
              DisruptionLimits.leaving(instant(record, FORCE_AT)),
              DrainStage.NONE);
      default -> throw new IllegalArgumentException("unknown stage");
    };
  }

  private static Disruption.Cause onlyCause(JsonNode record, Instant at) {
    String word = record.path(CAUSE).asText();
    return Word.of(CandidateRank.class, word)
        .map(rank -> new ScaleDownCause(rank).at(at))
        .orElseGet(() -> cause(word, "", at));
  }

  private static Disruption.Cause cause(String word, String reference, Instant at) {
    CauseKind kind =
        KnownCause.Catalogue.of(word)
            .orElseThrow(() -> new IllegalArgumentException("unknown cause"));
    return new Disruption.Cause(kind.read().apply(reference), at);
  }

  private static Instant instant(JsonNode record, String field) {
    return Instant.parse(record.path(field).asText());
  }

  private static Optional<Instant> optional(JsonNode record, String field) {
    return record.has(field) ? Optional.of(instant(record, field)) : Optional.empty();
  }

  private static void require(boolean readable) {
    if (!readable) {
      throw new IllegalArgumentException("not of this version");
    }
  }
}
