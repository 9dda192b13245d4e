package io.nodepool.kubernetes.write;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.nodepool.fleet.Taint;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.convert.AppliedMetadata;
import io.nodepool.plan.NodeChange;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.util.List;
import java.util.Optional;

/**
 * A change of a Node's metadata as one JSON patch. Taints are one atomic list in the API; the patch
 * removes each taint of the operator at its observed index and appends the new ones, so that taints
 * of other clients remain as they are, with the time at which they were added.
 */
final class NodePatch {
  private static final String LABELS = "/metadata/labels/";
  private static final String ANNOTATIONS = "/metadata/annotations/";
  private static final String TAINTS = "/spec/taints";

  private NodePatch() {}

  /** The patch for the Node with this UID. */
  static JsonPatch of(String nodeUid, NodeChange change) {
    JsonPatch patch = new JsonPatch().test("/metadata/uid", nodeUid);
    String record = ANNOTATIONS + JsonPatch.pointer(NodeAnnotations.APPLIED_METADATA.key());
    change.recorded().ifPresent(recorded -> patch.test(record, AppliedMetadata.write(recorded)));
    change.labels().forEach((key, value) -> put(patch, LABELS, key, value));
    change.annotations().forEach((key, value) -> put(patch, ANNOTATIONS, key, value));
    taints(patch, change);
    change.record().ifPresent(applied -> patch.set(record, AppliedMetadata.write(applied)));
    return patch;
  }

  private static void put(JsonPatch patch, String map, String key, Optional<String> value) {
    String path = map + JsonPatch.pointer(key);
    value.ifPresentOrElse(text -> patch.set(path, text), () -> patch.remove(path));
  }

  private static void taints(JsonPatch patch, NodeChange change) {
    List<Taint> seen = change.taints().seen();
    for (int i = seen.size() - 1; i >= 0; i--) {
      Taint taint = seen.get(i);
      if (change.taints().removed().contains(taint)) {
        String path = TAINTS + "/" + i;
        patch.test(path + "/key", taint.key());
        patch.test(path + "/effect", taint.effect());
        if (taint.value().isEmpty()) {
          patch.testAbsent(path + "/value");
        } else {
          patch.test(path + "/value", taint.value());
        }
        patch.remove(path);
      }
    }
    if (seen.isEmpty() && !change.taints().added().isEmpty()) {
      ArrayNode list = JsonNodeFactory.instance.arrayNode();
      change.taints().added().forEach(taint -> list.add(AppliedMetadata.json(taint)));
      patch.testAbsent(TAINTS).set(TAINTS, list);
    } else {
      change.taints().added().forEach(t -> patch.set(TAINTS + "/-", AppliedMetadata.json(t)));
    }
  }
}
