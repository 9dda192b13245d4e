package io.nodepool.model.node;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The part of a Node's metadata that decisions use. The Nodes of a pool usually have equal
 * metadata, so equal instances can be shared.
 *
 * @param applied the record of the metadata that was applied from the pool's spec; empty if none is
 *     readable
 * @param labels labels that the Node carries
 * @param annotations annotations that the Node carries; the disruption's record is the text as it
 *     was read, which is tested before a write
 * @param taints all its taints, in the Node's own order
 */
@RecordBuilder
public record NodeMetadata(
    Optional<NodeTemplate> applied,
    SortedMap<String, String> labels,
    SortedMap<String, String> annotations,
    List<Taint> taints)
    implements NodeMetadataCopy.With {
  /** No metadata. */
  public static final NodeMetadata NONE =
      new NodeMetadata(Optional.empty(), new TreeMap<>(), new TreeMap<>(), List.of());

  public NodeMetadata {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
    taints = List.copyOf(taints);
  }

  /**
   * The part of a Node's metadata that decisions depend on: the labels for the pool, the
   * reservation and a disruption, the keys in the record, and the taints.
   */
  public static NodeMetadata restricted(
      Optional<NodeTemplate> applied,
      Map<String, String> labels,
      Map<String, String> annotations,
      List<Taint> taints) {
    NodeTemplate recorded = applied.orElse(NodeTemplate.EMPTY);
    return new NodeMetadata(
        applied,
        only(
            labels,
            key -> NodeLabels.OF_DECISIONS.contains(key) || recorded.labels().containsKey(key)),
        only(
            annotations,
            key ->
                NodeAnnotations.OF_DECISIONS.contains(key)
                    || recorded.annotations().containsKey(key)),
        taints);
  }

  private static SortedMap<String, String> only(Map<String, String> all, Predicate<String> kept) {
    SortedMap<String, String> only = new TreeMap<>();
    all.forEach((key, value) -> {
      if (kept.test(key)) {
        only.put(key, value);
      }
    });
    return only;
  }

  /** The part of this metadata that decisions depend on. */
  public NodeMetadata restricted() {
    return restricted(applied, labels, annotations, taints);
  }

  /** The value of a label, or empty text. */
  public String label(NodeLabels label) {
    return labels.getOrDefault(label.key(), "");
  }

  /** This metadata without the text of the record of a disruption. */
  NodeMetadata withoutRecordText() {
    if (!annotations.containsKey(NodeAnnotations.REMOVAL.key())) {
      return this;
    }
    SortedMap<String, String> next = new TreeMap<>(annotations);
    next.remove(NodeAnnotations.REMOVAL.key());
    return withAnnotations(next);
  }
}
