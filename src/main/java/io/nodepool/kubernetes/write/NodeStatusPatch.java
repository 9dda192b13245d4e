package io.nodepool.kubernetes.write;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.kubernetes.convert.AppliedMetadata;
import io.nodepool.kubernetes.convert.DisruptionRecord;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A change of a Node's conditions as one strategic merge patch. Metadata may be written with the
 * status.
 */
final class NodeStatusPatch {
  private NodeStatusPatch() {}

  /** The patch for the Node with this UID. */
  static ObjectNode of(
      String nodeUid, NodePrecondition precondition, NodeChange.OfStatus change, Instant now) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    ObjectNode metadata = body.putObject("metadata").put("uid", nodeUid);
    if (precondition instanceof NodePrecondition.UidAndVersion(long version)) {
      metadata.put("resourceVersion", Long.toString(version));
    }
    ObjectNode annotations = JsonNodeFactory.instance.objectNode();
    switch (change.metadata().recorded()) {
      case MetadataChange.Recorded.Nothing _ -> {}
      case MetadataChange.Recorded.Applied applied ->
          annotations.put(
              NodeAnnotations.APPLIED_METADATA.key(), AppliedMetadata.write(applied.applied()));
      case MetadataChange.Recorded.Disrupted disrupted ->
          annotations.put(
              NodeAnnotations.REMOVAL.key(),
              disrupted.next().map(DisruptionRecord::write).orElse(null));
    }
    put(annotations, change.metadata().annotations());
    if (!annotations.isEmpty()) {
      metadata.set("annotations", annotations);
    }
    if (!change.metadata().labels().isEmpty()) {
      put(metadata.putObject("labels"), change.metadata().labels());
    }
    ArrayNode conditions = body.putObject("status").putArray("conditions");
    change.conditions().forEach(each -> condition(conditions.addObject(), each, now));
    return body;
  }

  /** An empty value removes the key. */
  private static void put(ObjectNode map, Map<String, Optional<String>> changes) {
    changes.forEach((key, value) -> map.put(key, value.orElse(null)));
  }

  /** A removal takes every entry of the type out of the list. An omitted time is kept. */
  private static void condition(ObjectNode entry, ConditionChange change, Instant now) {
    switch (change) {
      case ConditionChange.Removed(var type) ->
          entry.put("$patch", "delete").put("type", type.type());
      case ConditionChange.Set set -> {
        entry
            .put("type", set.type().type())
            .put("status", set.status() ? "True" : "False")
            .put("reason", set.reason())
            .put("lastHeartbeatTime", ObjectFacts.seconds(now))
            .put("message", set.message());
        if (set.transitions()) {
          entry.put("lastTransitionTime", ObjectFacts.seconds(set.since().orElse(now)));
        }
      }
    }
  }
}
