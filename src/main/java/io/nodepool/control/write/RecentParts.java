package io.nodepool.control.write;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * What was last noted of the parts of each object, until nothing was noted of it for a while. Lives
 * on one thread.
 *
 * @param <S> what tells one object from another
 * @param <P> what tells one part of an object from another
 * @param <V> what is noted
 */
public final class RecentParts<S, P, V> {
  /** A value, and when it was noted last. */
  public record Noted<V>(V value, Instant at) {}

  private final Duration quiet;

  /** Those come first of which something was last noted longest ago. */
  private final SequencedMap<S, Map<P, Noted<V>>> objects = new LinkedHashMap<>();

  /**
   * Nothing was noted yet.
   *
   * @param quiet what was not noted again for so long is forgotten
   */
  public RecentParts(Duration quiet) {
    this.quiet = quiet;
  }

  /** What was last noted of a part. */
  public Optional<Noted<V>> find(S object, P part) {
    Map<P, Noted<V>> parts = objects.get(object);
    return parts == null ? Optional.empty() : Optional.ofNullable(parts.get(part));
  }

  /** Notes these values of an object's parts. */
  public void note(S object, Map<P, V> values, Instant now) {
    if (values.isEmpty()) {
      return;
    }
    Map<P, Noted<V>> parts = Optional.ofNullable(objects.remove(object)).orElseGet(HashMap::new);
    Instant longAgo = now.minus(quiet);
    parts.values().removeIf(noted -> noted.at().isBefore(longAgo));
    values.forEach((part, value) -> parts.put(part, new Noted<>(value, now)));
    objects.put(object, parts);
  }

  /** Forgets a part. */
  void forget(S object, P part) {
    Map<P, Noted<V>> parts = objects.get(object);
    if (parts != null && parts.remove(part) != null && parts.isEmpty()) {
      objects.remove(object);
    }
  }

  /**
   * Forgets objects of which nothing was noted for a while.
   *
   * @return when to do so again
   */
  public Optional<Instant> forgetOld(Instant now) {
    while (!objects.isEmpty()) {
      Instant end = latest(objects.firstEntry().getValue()).plus(quiet);
      if (end.isAfter(now)) {
        return Optional.of(end);
      }
      objects.pollFirstEntry();
    }
    return Optional.empty();
  }

  private static <V> Instant latest(Map<?, Noted<V>> parts) {
    return parts.values().stream().map(Noted::at).max(Instant::compareTo).orElse(Instant.MIN);
  }

  /** Objects of which something is remembered. */
  public int size() {
    return objects.size();
  }
}
