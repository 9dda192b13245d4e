package io.nodepool.fleet;

import io.nodepool.vocabulary.UserText;
import io.nodepool.vocabulary.metadata.KubernetesNames;
import io.nodepool.vocabulary.metadata.LabelDomains;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeTaints;
import io.nodepool.vocabulary.metadata.TaintEffect;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The rules for the labels, annotations and taints that a pool's spec may define for Nodes.
 * Metadata that Kubernetes rejects would keep every machine of the pool from joining. Metadata that
 * another controller maintains would be overwritten by both, alternately.
 */
public final class NodeTemplateRules {
  /**
   * The bytes of a Node's annotations that are reserved for its machine, its kubelet and clients.
   */
  static final int LEFT_TO_OTHERS = 16 * 1024;

  private NodeTemplateRules() {}

  /**
   * The reasons why the template cannot be applied to Nodes, one sentence each; empty if it can.
   */
  public static List<String> problems(NodeTemplate template) {
    List<String> problems = new ArrayList<>();
    SortedSet<String> exceptions = template.exceptions();
    template
        .labels()
        .forEach((key, value) -> label(key, value, exceptions).ifPresent(problems::add));
    template
        .annotations()
        .keySet()
        .forEach(key -> annotation(key, exceptions).ifPresent(problems::add));
    template.taints().forEach(taint -> taint(taint).ifPresent(problems::add));
    twice(template.taints()).ifPresent(problems::add);
    size(template).ifPresent(problems::add);
    return List.copyOf(problems);
  }

  private static Optional<String> label(String key, String value, Set<String> exceptions) {
    Optional<String> wrong =
        LabelDomains.allowedInSpec(key, exceptions)
            ? KubernetesNames.wrongKey(key)
            : Optional.of(LabelDomains.REFUSAL);
    return wrong
        .map(why -> key("spec.nodeLabels", key, why))
        .or(() ->
            KubernetesNames.wrongLabelValue(value)
                .map(why -> value("spec.nodeLabels", key, value, why)));
  }

  private static Optional<String> annotation(String key, Set<String> exceptions) {
    return LabelDomains.refusedAsAnnotation(key, exceptions)
        .or(() -> KubernetesNames.wrongAnnotationKey(key))
        .map(why -> key("spec.nodeAnnotations", key, why));
  }

  private static Optional<String> taint(Taint taint) {
    return LabelDomains.refusedAsTaint(taint.key())
        .or(() -> KubernetesNames.wrongKey(taint.key()))
        .map(why -> key("spec.nodeTaints", taint.key(), why))
        .or(() ->
            KubernetesNames.wrongLabelValue(taint.value())
                .map(why -> value("spec.nodeTaints", taint.key(), taint.value(), why)))
        .or(() -> wrongEffect(taint));
  }

  private static Optional<String> wrongEffect(Taint taint) {
    List<String> effects = Arrays.stream(TaintEffect.values()).map(TaintEffect::word).toList();
    return effects.contains(taint.effect())
        ? Optional.empty()
        : Optional.of(
            "spec.nodeTaints has the effect %s with the key %s; must be one of %s."
                .formatted(
                    UserText.quoted(taint.effect()),
                    UserText.quoted(taint.key()),
                    String.join(", ", effects)));
  }

  private static Optional<String> twice(List<Taint> taints) {
    return Stream.iterate(1, i -> i < taints.size(), i -> i + 1)
        .filter(i -> taints.get(i).isSame(taints.get(i - 1)))
        .findFirst()
        .map(i ->
            "spec.nodeTaints has the key %s with the effect %s twice."
                .formatted(UserText.quoted(taints.get(i).key()), taints.get(i).effect()));
  }

  private static Optional<String> size(NodeTemplate template) {
    long most = KubernetesNames.MOST_ANNOTATION_BYTES - LEFT_TO_OTHERS;
    long bytes = annotationBytes(template);
    return bytes <= most
        ? Optional.empty()
        : Optional.of(
            "spec.nodeAnnotations is too long: with the record that the operator keeps of it, a Node would have %d bytes of annotations; Kubernetes allows %d in all, of which %d are kept for others."
                .formatted(bytes, KubernetesNames.MOST_ANNOTATION_BYTES, LEFT_TO_OTHERS));
  }

  /**
   * The bytes of a Node's annotations that the template needs: its own annotations and its record.
   */
  static long annotationBytes(NodeTemplate template) {
    return KubernetesNames.annotationBytes(template.annotations())
        + NodeAnnotations.APPLIED_METADATA.key().length()
        + recordBytes(template);
  }

  private static String key(String field, String key, String why) {
    return "%s has the key %s: %s%s"
        .formatted(field, UserText.quoted(key), why, why.endsWith(".") ? "" : ".");
  }

  private static String value(String field, String key, String value, String why) {
    return "%s has the value %s with the key %s: %s."
        .formatted(field, UserText.quoted(value), UserText.quoted(key), why);
  }

  /**
   * The keys of the template that are valid but have no effect, because the machine, its fleet or
   * the operator sets them.
   */
  public static List<String> withoutEffect(NodeTemplate template) {
    return Stream.of(
            template.labels().keySet().stream()
                .filter(key -> !LabelDomains.followedAsLabel(key, template.exceptions())),
            template.annotations().keySet().stream()
                .filter(key -> !LabelDomains.followedAsAnnotation(key, template.exceptions())),
            template.taints().stream().map(Taint::key).filter(NodeTaints::isOwn))
        .flatMap(keys -> keys)
        .map(UserText::quoted)
        .distinct()
        .toList();
  }

  /** Whether a label is applied from the spec to Nodes. */
  static boolean followsAsLabel(String key, String value, Set<String> exceptions) {
    return LabelDomains.followedAsLabel(key, exceptions) && label(key, value, exceptions).isEmpty();
  }

  /** Whether an annotation is applied from the spec to Nodes. */
  static boolean followsAsAnnotation(String key, Set<String> exceptions) {
    return LabelDomains.followedAsAnnotation(key, exceptions)
        && annotation(key, exceptions).isEmpty();
  }

  /** Whether a taint is applied from the spec to Nodes. */
  static boolean follows(Taint taint) {
    return !NodeTaints.isOwn(taint.key()) && taint(taint).isEmpty();
  }

  /**
   * The bytes of the record of a template on a Node: compact JSON of every part as it is applied.
   */
  public static long recordBytes(NodeTemplate template) {
    return enclosed(
        Stream.of(
                part("labels", texts(template.labels())),
                part("annotations", texts(template.annotations())),
                part("taints", template.taints().stream().mapToLong(NodeTemplateRules::taintBytes)))
            .flatMapToLong(part -> part));
  }

  /** The bytes of a part with these members; none if it has no member, since it is left out. */
  private static LongStream part(String name, LongStream members) {
    long bytes = enclosed(members);
    return bytes == "{}".length() ? LongStream.empty() : LongStream.of(member(name, bytes));
  }

  private static LongStream texts(SortedMap<String, String> map) {
    return map.entrySet().stream()
        .mapToLong(entry -> member(entry.getKey(), json(entry.getValue())));
  }

  private static long taintBytes(Taint taint) {
    LongStream.Builder members = LongStream.builder();
    members.add(member("key", json(taint.key()))).add(member("effect", json(taint.effect())));
    if (!taint.value().isEmpty()) {
      members.add(member("value", json(taint.value())));
    }
    return enclosed(members.build());
  }

  /** The bytes of an object or a list: members of these bytes, commas between them, brackets. */
  private static long enclosed(LongStream members) {
    LongSummaryStatistics all = members.summaryStatistics();
    return "{}".length() + all.getSum() + Math.max(0, all.getCount() - 1);
  }

  private static long member(String name, long value) {
    return json(name) + ":".length() + value;
  }

  private static long json(String text) {
    long escapes = text.chars().mapToLong(NodeTemplateRules::escape).sum();
    return 2 + text.getBytes(StandardCharsets.UTF_8).length + escapes;
  }

  /** The number of additional bytes of a character in JSON. */
  private static long escape(int character) {
    return switch (character) {
      case '"', '\\', '\b', '\t', '\n', '\f', '\r' -> 1;
      default -> character < ' ' ? 5 : 0;
    };
  }
}
