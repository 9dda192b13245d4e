package io.nodepool.plan;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a change of a Node's disruption changes on the Node beside its record.
 *
 * @param labels labels that are set, or removed where the value is empty
 * @param annotations annotations that are set, or removed where the value is empty
 */
public record DisruptionMarks(
    Cordoning cordoning,
    SortedMap<String, Optional<String>> labels,
    SortedMap<String, Optional<String>> annotations) {
  /** What becomes of the cordon. */
  public enum Cordoning {
    KEEP,
    CORDON,
    UNCORDON
  }

  /** Nothing but the record changes. */
  public static final DisruptionMarks NONE =
      new DisruptionMarks(Cordoning.KEEP, new TreeMap<>(), new TreeMap<>());

  public DisruptionMarks {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
  }

  /** These marks with another change of the cordon. */
  public DisruptionMarks with(Cordoning next) {
    return new DisruptionMarks(next, labels, annotations);
  }

  /** These marks with another label. */
  public DisruptionMarks withLabel(String key, Optional<String> value) {
    return new DisruptionMarks(cordoning, with(labels, key, value), annotations);
  }

  /** These marks with another annotation. */
  public DisruptionMarks withAnnotation(String key, Optional<String> value) {
    return new DisruptionMarks(cordoning, labels, with(annotations, key, value));
  }

  /** These marks as they change what is there: a removal of what is not there is left out. */
  public DisruptionMarks on(Map<String, String> nowLabels, Map<String, String> nowAnnotations) {
    return new DisruptionMarks(
        cordoning, changing(labels, nowLabels), changing(annotations, nowAnnotations));
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
