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

/** Collects the changes of a Node's metadata. What already has the wanted value is not changed. */
final class NodeDraft {
  private final NodeMetadata seen;
  private final SortedMap<String, Optional<String>> labels = new TreeMap<>();
  private final SortedMap<String, Optional<String>> annotations = new TreeMap<>();
  private final List<Taint> removed = new ArrayList<>();
  private final List<Taint> added = new ArrayList<>();
  private Optional<NodeTemplate> record = Optional.empty();

  NodeDraft(NodeMetadata seen) {
    this.seen = seen;
  }

  /** Sets the record of what was applied. */
  void record(NodeTemplate applied) {
    record = seen.applied().equals(Optional.of(applied)) ? Optional.empty() : Optional.of(applied);
  }

  /** Sets a label. */
  void label(String key, String value) {
    set(seen.labels(), labels, key, value);
  }

  /** Removes a label. */
  void noLabel(String key) {
    remove(seen.labels(), labels, key);
  }

  /** Sets an annotation. */
  void annotation(String key, String value) {
    set(seen.annotations(), annotations, key, value);
  }

  /** Removes an annotation. */
  void noAnnotation(String key) {
    remove(seen.annotations(), annotations, key);
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

  private static void set(
      SortedMap<String, String> from,
      SortedMap<String, Optional<String>> changes,
      String key,
      String value) {
    if (!value.equals(from.get(key))) {
      changes.put(key, Optional.of(value));
    }
  }

  private static void remove(
      SortedMap<String, String> from, SortedMap<String, Optional<String>> changes, String key) {
    if (from.containsKey(key)) {
      changes.put(key, Optional.empty());
    }
  }

  NodeChange.OfSpec change() {
    MetadataChange.Recorded recorded =
        record
            .<MetadataChange.Recorded>map(MetadataChange.Recorded.Applied::new)
            .orElseGet(MetadataChange.Recorded.Nothing::new);
    return new NodeChange.OfSpec(
        new MetadataChange(recorded, labels, annotations),
        NodeChange.Cordoning.KEEP,
        new NodeChange.TaintPatch(removed, added));
  }
}
