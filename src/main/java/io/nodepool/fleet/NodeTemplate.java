package io.nodepool.fleet;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The labels, annotations and taints that a pool's spec defines for its Nodes.
 *
 * @param taints ordered by key and effect, which together identify a taint
 */
public record NodeTemplate(
    SortedMap<String, String> labels, SortedMap<String, String> annotations, List<Taint> taints) {
  /** No labels, annotations or taints. */
  public static final NodeTemplate EMPTY =
      new NodeTemplate(Collections.emptySortedMap(), Collections.emptySortedMap(), List.of());

  private static final int FINGERPRINT_BYTES = 8;

  public NodeTemplate {
    labels = Collections.unmodifiableSortedMap(new TreeMap<>(labels));
    annotations = Collections.unmodifiableSortedMap(new TreeMap<>(annotations));
    taints =
        taints.stream()
            .sorted(Comparator.comparing(Taint::key).thenComparing(Taint::effect))
            .toList();
  }

  /**
   * The part of the template that a pool's spec may decide. The metadata that the machine, its
   * fleet and the operator set on a Node is excluded, whatever a spec or a record contains
   * (decision D45), and so is metadata that Kubernetes rejects, so that it does not fail any
   * machine.
   */
  public NodeTemplate permitted() {
    boolean all =
        labels.entrySet().stream().allMatch(NodeTemplate::followsAsLabel)
            && annotations.keySet().stream().allMatch(NodeTemplateRules::followsAsAnnotation)
            && taints.stream().allMatch(NodeTemplateRules::follows);
    return all
        ? this
        : new NodeTemplate(
            only(labels, NodeTemplate::followsAsLabel),
            only(annotations, entry -> NodeTemplateRules.followsAsAnnotation(entry.getKey())),
            taints.stream().filter(NodeTemplateRules::follows).toList());
  }

  private static boolean followsAsLabel(Map.Entry<String, String> label) {
    return NodeTemplateRules.followsAsLabel(label.getKey(), label.getValue());
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
    MessageDigest digest = sha256();
    add(digest, permitted.labels);
    add(digest, permitted.annotations);
    for (Taint taint : permitted.taints) {
      add(digest, taint.key());
      add(digest, taint.effect());
      add(digest, taint.value());
    }
    return HexFormat.of().formatHex(digest.digest(), 0, FINGERPRINT_BYTES);
  }

  private static void add(MessageDigest digest, Map<String, String> map) {
    map.forEach((key, value) -> {
      add(digest, key);
      add(digest, value);
    });
    // No key is empty, so this ends a map.
    add(digest, "");
  }

  private static void add(MessageDigest digest, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    digest.update((bytes.length + ":").getBytes(StandardCharsets.UTF_8));
    digest.update(bytes);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
