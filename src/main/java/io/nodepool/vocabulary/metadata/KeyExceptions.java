package io.nodepool.vocabulary.metadata;

import io.nodepool.vocabulary.UserText;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The keys of {@link LabelDomains#RESERVED_DOMAINS reserved domains} that the operator's
 * administrator lets NodePools set as labels and annotations, beside {@link
 * LabelDomains#ALLOWED_IN_SPEC} (contract §20, decision D267).
 *
 * @param keys at most {@value #MOST}; without keys that are allowed anyway
 */
public record KeyExceptions(SortedSet<String> keys) {
  /** The most keys. */
  public static final int MOST = 32;

  /** No exceptions. */
  public static final KeyExceptions NONE = new KeyExceptions(Collections.emptySortedSet());

  private static final Set<String> DEFINED =
      Stream.concat(
              Stream.<MetadataKey[]>of(
                      NodeLabels.values(), NodeAnnotations.values(), PoolAnnotations.values())
                  .flatMap(Arrays::stream)
                  .map(MetadataKey::key),
              Arrays.stream(NodeTaints.values()).map(NodeTaints::key))
          .collect(Collectors.toUnmodifiableSet());

  /**
   * @throws IllegalArgumentException if these keys cannot be exceptions, with the first {@link
   *     #problem}
   */
  public KeyExceptions {
    problem(keys)
        .ifPresent(why -> {
          throw new IllegalArgumentException(why);
        });
    SortedSet<String> further = new TreeSet<>(keys);
    further.removeAll(LabelDomains.ALLOWED_IN_SPEC);
    keys = Collections.unmodifiableSortedSet(further);
  }

  /** These keys; their order and repetitions are ignored. */
  public static KeyExceptions of(Collection<String> keys) {
    return new KeyExceptions(new TreeSet<>(keys));
  }

  /** Why these keys cannot be exceptions, as a message of its own; empty if they can. */
  public static Optional<String> problem(Collection<String> keys) {
    return keys.size() > MOST
        ? Optional.of("%d keys are too many: at most %d".formatted(keys.size(), MOST))
        : keys.stream().flatMap(key -> problem(key).stream()).findFirst();
  }

  private static Optional<String> problem(String key) {
    return KubernetesNames.wrongKey(key)
        .or(() ->
            LabelDomains.reserved(key)
                ? Optional.empty()
                : Optional.of(
                    "every NodePool may set it; give keys below coreweave.cloud or coreweave.com"))
        .or(() ->
            isDefined(key)
                ? Optional.of("it has a meaning that the operator, the fleet or a client writes")
                : Optional.empty())
        .map(why -> UserText.quoted(key) + " cannot be allowed: " + why);
  }

  private static boolean isDefined(String key) {
    return DEFINED.contains(key) && !LabelDomains.ALLOWED_IN_SPEC.contains(key);
  }

  /** Whether a key could be an exception and is not allowed anyway. */
  public static boolean isPossible(String key) {
    return problem(key).isEmpty() && !LabelDomains.ALLOWED_IN_SPEC.contains(key);
  }
}
