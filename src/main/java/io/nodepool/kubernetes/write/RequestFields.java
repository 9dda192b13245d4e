package io.nodepool.kubernetes.write;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;

/**
 * When the request on a Node was set, derived from the managed fields that the API server records
 * (decision D164). The time of an entry is the time of the last change by its manager.
 */
public final class RequestFields {
  private RequestFields() {}

  /** When the request on a Node and its policy were set, if the times are recorded. */
  public static RequestTimes times(JsonNode node) {
    return new RequestTimes(
        time(node, "f:labels", NodeLabels.PENDING_STATE.key()),
        time(node, "f:annotations", NodeAnnotations.REBOOT_POLICY.key()));
  }

  /** The latest time of the entries that own the field: every owner has set the field by then. */
  private static Optional<Instant> time(JsonNode node, String under, String key) {
    Optional<Instant> latest = Optional.empty();
    for (JsonNode entry : node.at("/metadata/managedFields")) {
      if (entry.path("fieldsV1").path("f:metadata").path(under).has("f:" + key)) {
        Optional<Instant> at = instant(entry.path("time").asText());
        latest = latest.filter(last -> at.map(last::isAfter).orElse(true)).or(() -> at);
      }
    }
    return latest;
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
