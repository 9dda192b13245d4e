package io.nodepool.plan.metadata;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Collects the changes of a Node's metadata. Parts that are already as wanted stay. */
final class NodeDraft {
  private final NodeMetadata seen;
  private final SortedMap<String, Optional<String>> labels = new TreeMap<>();
  private final SortedMap<String, Optional<String>> annotations = new TreeMap<>();
  private final List<Taint> removed = new ArrayList<>();
  private final List<Taint> added = new ArrayList<>();
  private MetadataChange.Recorded recorded = new MetadataChange.Recorded.Nothing();

  NodeDraft(NodeMetadata seen) {
    this.seen = seen;
  }

  /** Sets the record of the applied metadata. */
  void record(NodeTemplate applied) {
    recorded = new MetadataChange.Recorded.Applied(applied);
  }

  /** Sets a label. */
  void label(String key, String value) {
    labels.put(key, Optional.of(value));
  }

  /** Removes a label. */
  void noLabel(String key) {
    labels.put(key, Optional.empty());
  }

  /** Sets an annotation. */
  void annotation(String key, String value) {
    annotations.put(key, Optional.of(value));
  }

  /** Removes an annotation. */
  void noAnnotation(String key) {
    annotations.put(key, Optional.empty());
  }

  /** Sets a taint, in place of one with the same key and effect. */
  void taint(Taint taint) {
    if (!seen.taints().contains(taint)) {
      noTaint(taint::isSame);
      added.add(taint);
    }
  }

  /** Removes the taints that match. */
  void noTaint(Predicate<Taint> unwanted) {
    seen.taints().stream()
        .filter(unwanted)
        .filter(taint -> !removed.contains(taint))
        .forEach(removed::add);
  }

  /** The change, without parts that are already as wanted. */
  NodeChange.OfSpec change() {
    return new NodeChange.OfSpec(
        new MetadataChange(recorded, labels, annotations).on(seen.labels(), seen.annotations()),
        NodeChange.Cordoning.KEEP,
        new NodeChange.TaintPatch(seen.taints(), removed, added));
  }
}
