package io.nodepool.fleet;

import io.nodepool.vocabulary.TextHash;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The labels, annotations and taints that a pool's spec defines for its Nodes.
 *
 * @param taints ordered by key and effect, which together identify a taint
 * @param exceptions the keys of its labels and annotations that are allowed although they are
 *     reserved ({@link KeyExceptions})
 */
public record NodeTemplate(
    SortedMap<String, String> labels,
    SortedMap<String, String> annotations,
    List<Taint> taints,
    SortedSet<String> exceptions) {
  /** No labels, annotations or taints. */
  public static final NodeTemplate EMPTY =
      new NodeTemplate(Collections.emptySortedMap(), Collections.emptySortedMap(), List.of());

  private static final int FINGERPRINT_DIGITS = 16;

  public NodeTemplate {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
    taints =
        taints.stream()
            .sorted(Comparator.comparing(Taint::key).thenComparing(Taint::effect))
            .toList();
    SortedSet<String> present = new TreeSet<>(exceptions);
    present.removeIf(Predicate.not(new TreeSet<>(keys(labels, annotations))::contains));
    exceptions = Collections.unmodifiableSortedSet(present);
  }

  /** A template without allowed reserved keys. */
  public NodeTemplate(
      SortedMap<String, String> labels, SortedMap<String, String> annotations, List<Taint> taints) {
    this(labels, annotations, taints, Collections.emptySortedSet());
  }

  /** The template of an assignment or a machine: which keys a spec may have was decided before. */
  public static NodeTemplate decided(
      SortedMap<String, String> labels, SortedMap<String, String> annotations, List<Taint> taints) {
    SortedSet<String> exceptions = keys(labels, annotations);
    exceptions.removeIf(Predicate.not(KeyExceptions::isPossible));
    return new NodeTemplate(labels, annotations, taints, exceptions);
  }

  private static SortedSet<String> keys(
      SortedMap<String, String> labels, SortedMap<String, String> annotations) {
    SortedSet<String> keys = new TreeSet<>(labels.keySet());
    keys.addAll(annotations.keySet());
    return keys;
  }

  /** This template where these reserved keys are allowed, and no others. */
  public NodeTemplate allowing(KeyExceptions allowed) {
    boolean same = exceptions.isEmpty() && allowed.keys().isEmpty();
    return same ? this : new NodeTemplate(labels, annotations, taints, allowed.keys());
  }

  /**
   * The part of the template that a pool's spec may decide. The metadata that the machine, its
   * fleet and the operator set on a Node is excluded, whatever a spec or a record contains
   * (decision D45). Metadata that Kubernetes rejects is also excluded, so that no machine fails
   * because of it.
   */
  public NodeTemplate permitted() {
    boolean all =
        labels.entrySet().stream().allMatch(this::followsAsLabel)
            && annotations.entrySet().stream().allMatch(this::followsAsAnnotation)
            && taints.stream().allMatch(NodeTemplateRules::follows);
    return all
        ? this
        : new NodeTemplate(
            only(labels, this::followsAsLabel),
            only(annotations, this::followsAsAnnotation),
            taints.stream().filter(NodeTemplateRules::follows).toList(),
            exceptions);
  }

  private boolean followsAsLabel(Map.Entry<String, String> label) {
    return NodeTemplateRules.followsAsLabel(label.getKey(), label.getValue(), exceptions);
  }

  private boolean followsAsAnnotation(Map.Entry<String, String> annotation) {
    return NodeTemplateRules.followsAsAnnotation(annotation.getKey(), exceptions);
  }

  private static SortedMap<String, String> only(
      SortedMap<String, String> all, Predicate<Map.Entry<String, String>> wanted) {
    SortedMap<String, String> some = new TreeMap<>(all);
    some.entrySet().removeIf(wanted.negate());
    return some;
  }

  /** A fingerprint of the {@link #permitted()} part: 16 hex digits. */
  public String fingerprint() {
    NodeTemplate permitted = permitted();
    StringBuilder parts = new StringBuilder();
    add(parts, permitted.labels);
    add(parts, permitted.annotations);
    for (Taint taint : permitted.taints) {
      add(parts, taint.key());
      add(parts, taint.effect());
      add(parts, taint.value());
    }
    return TextHash.of(parts.toString(), FINGERPRINT_DIGITS);
  }

  private static void add(StringBuilder parts, Map<String, String> map) {
    map.forEach((key, value) -> {
      add(parts, key);
      add(parts, value);
    });
    // No key is empty, so this ends a map.
    add(parts, "");
  }

  private static void add(StringBuilder parts, String text) {
    parts.append(text.getBytes(StandardCharsets.UTF_8).length).append(':').append(text);
  }
}
