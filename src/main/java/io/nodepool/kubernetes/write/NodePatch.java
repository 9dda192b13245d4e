package io.nodepool.kubernetes.write;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.convert.AppliedMetadata;
import io.nodepool.kubernetes.convert.DisruptionRecord;
import io.nodepool.model.node.Disruption;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.util.List;
import java.util.Optional;

/**
 * A change of a Node's metadata, cordon and taints as one JSON patch, with tests of the state that
 * it was decided on. Taints are one atomic list in the API; the patch removes each taint of the
 * operator at its observed index and appends the new ones, so that taints of other clients remain
 * unchanged, with the times at which they were added.
 */
final class NodePatch {
  private static final String LABELS = "/metadata/labels/";
  private static final String ANNOTATIONS = "/metadata/annotations/";
  private static final String TAINTS = "/spec/taints";
  private static final String UNSCHEDULABLE = "/spec/unschedulable";
  private static final String DISRUPTION = annotation(NodeAnnotations.REMOVAL);
  private static final String APPLIED = annotation(NodeAnnotations.APPLIED_METADATA);

  private NodePatch() {}

  private static String annotation(NodeAnnotations annotation) {
    return ANNOTATIONS + JsonPatch.pointer(annotation.key());
  }

  /** The patch for the Node with this UID. */
  static JsonPatch of(String nodeUid, NodePrecondition precondition, NodeChange.OfSpec change) {
    JsonPatch patch = new JsonPatch().test("/metadata/uid", nodeUid);
    tests(patch, precondition);
    MetadataChange metadata = change.metadata();
    if (metadata.recorded()
        instanceof MetadataChange.Recorded.Disrupted(Optional<Disruption> next)) {
      put(patch, DISRUPTION, next.map(DisruptionRecord::write));
    }
    switch (change.cordoning()) {
      case CORDON -> patch.set(UNSCHEDULABLE, true);
      case UNCORDON -> patch.remove(UNSCHEDULABLE);
      case KEEP -> {}
    }
    metadata.labels().forEach((key, value) -> put(patch, LABELS + JsonPatch.pointer(key), value));
    metadata
        .annotations()
        .forEach((key, value) -> put(patch, ANNOTATIONS + JsonPatch.pointer(key), value));
    taints(patch, change.taints());
    if (metadata.recorded() instanceof MetadataChange.Recorded.Applied(NodeTemplate applied)) {
      patch.set(APPLIED, AppliedMetadata.write(applied));
    }
    return patch;
  }

  private static void tests(JsonPatch patch, NodePrecondition precondition) {
    switch (precondition) {
      case NodePrecondition.Uid _ -> {}
      case NodePrecondition.UidAndVersion(long version) ->
          patch.test("/metadata/resourceVersion", Long.toString(version));
      case NodePrecondition.RecordUnchangedAndNotCordoned(Disruption _, String text) ->
          patch.testAbsent(UNSCHEDULABLE).test(DISRUPTION, text);
      case NodePrecondition.AppliedUnchanged(NodeTemplate applied) ->
          patch.test(APPLIED, AppliedMetadata.write(applied));
    }
  }

  private static void put(JsonPatch patch, String path, Optional<String> value) {
    value.ifPresentOrElse(text -> patch.set(path, text), () -> patch.remove(path));
  }

  private static void taints(JsonPatch patch, NodeChange.TaintPatch change) {
    List<Taint> seen = change.seen();
    for (int i = seen.size() - 1; i >= 0; i--) {
      Taint taint = seen.get(i);
      if (change.removed().contains(taint)) {
        String path = TAINTS + "/" + i;
        patch.test(path + "/key", taint.key());
        patch.test(path + "/effect", taint.effect());
        patch.testOrAbsent(path + "/value", taint.value());
        patch.remove(path);
      }
    }
    if (seen.isEmpty() && !change.added().isEmpty()) {
      ArrayNode list = JsonNodeFactory.instance.arrayNode();
      change.added().forEach(taint -> list.add(AppliedMetadata.json(taint)));
      patch.testAbsent(TAINTS).set(TAINTS, list);
    } else {
      change.added().forEach(taint -> patch.set(TAINTS + "/-", AppliedMetadata.json(taint)));
    }
  }
}
