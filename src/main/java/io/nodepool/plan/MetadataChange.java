package io.nodepool.plan;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.model.node.Disruption;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The changes of a write to the metadata of a Node. All other metadata stays, including metadata
 * that other clients added meanwhile.
 *
 * @param recorded the record that changes with it
 * @param labels labels to set, or to remove where the value is empty
 * @param annotations annotations likewise
 */
public record MetadataChange(
    Recorded recorded,
    SortedMap<String, Optional<String>> labels,
    SortedMap<String, Optional<String>> annotations) {
  /**
   * The record that changes, at most one: no write changes both the spec's metadata and a
   * disruption.
   */
  public sealed interface Recorded {
    /** No record changes. */
    record Nothing() implements Recorded {}

    /** The metadata that was applied from the spec. */
    record Applied(NodeTemplate applied) implements Recorded {}

    /** The disruption; empty if its record is removed. */
    record Disrupted(Optional<Disruption> next) implements Recorded {}
  }

  /** Nothing changes. */
  public static final MetadataChange NONE =
      new MetadataChange(new Recorded.Nothing(), new TreeMap<>(), new TreeMap<>());

  public MetadataChange {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
  }

  /** The disruption that is recorded; empty if none is. */
  public Optional<Disruption> disruption() {
    return recorded instanceof Recorded.Disrupted(Optional<Disruption> next)
        ? next
        : Optional.empty();
  }

  /** Whether nothing changes. */
  public boolean isEmpty() {
    return equals(NONE);
  }

  /** This change with another record. */
  public MetadataChange with(Recorded next) {
    return new MetadataChange(next, labels, annotations);
  }

  /** This change with this record of a disruption; empty removes it. */
  public MetadataChange recording(Optional<Disruption> next) {
    return with(new Recorded.Disrupted(next));
  }

  /** This change with another label. */
  public MetadataChange withLabel(String key, Optional<String> value) {
    return new MetadataChange(recorded, with(labels, key, value), annotations);
  }

  /** This change with another annotation. */
  public MetadataChange withAnnotation(String key, Optional<String> value) {
    return new MetadataChange(recorded, labels, with(annotations, key, value));
  }

  /** This change, without labels and annotations that are already as wanted. */
  public MetadataChange on(Map<String, String> nowLabels, Map<String, String> nowAnnotations) {
    return new MetadataChange(
        recorded, changing(labels, nowLabels), changing(annotations, nowAnnotations));
  }

  /** Adds the parts that it sets, each with its value. */
  void addTo(SortedMap<String, Object> parts) {
    if (recorded instanceof Recorded.Applied(NodeTemplate applied)) {
      parts.put("the record of what was applied", applied);
    }
    labels.forEach((key, value) -> parts.put("label " + key, value));
    annotations.forEach((key, value) -> parts.put("annotation " + key, value));
  }

  private static SortedMap<String, Optional<String>> changing(
      SortedMap<String, Optional<String>> wanted, Map<String, String> present) {
    SortedMap<String, Optional<String>> changes = new TreeMap<>();
    wanted.forEach((key, value) -> {
      if (!value.equals(Optional.ofNullable(present.get(key)))) {
        changes.put(key, value);
      }
    });
    return changes;
  }

  private static SortedMap<String, Optional<String>> with(
      SortedMap<String, Optional<String>> values, String key, Optional<String> value) {
    SortedMap<String, Optional<String>> next = new TreeMap<>(values);
    next.put(key, value);
    return next;
  }
}
