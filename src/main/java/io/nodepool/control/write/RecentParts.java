package io.nodepool.control.write;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * The last recorded values of each object's parts; an object expires when nothing was recorded for
 * it for a while. Confined to one thread.
 *
 * @param <S> identifies an object
 * @param <P> identifies a part of an object
 * @param <V> the recorded value
 */
public final class RecentParts<S, P, V> {
  /** A value, and when it was last recorded. */
  public record Noted<V>(V value, Instant at) {}

  private final Duration quiet;

  /** In order of the last recording, the oldest first. */
  private final SequencedMap<S, Map<P, Noted<V>>> objects = new LinkedHashMap<>();

  /**
   * Creates an empty record.
   *
   * @param quiet how long a value is kept after it was last recorded
   */
  public RecentParts(Duration quiet) {
    this.quiet = quiet;
  }

  /** The last recorded value of a part. */
  public Optional<Noted<V>> find(S object, P part) {
    Map<P, Noted<V>> parts = objects.get(object);
    return parts == null ? Optional.empty() : Optional.ofNullable(parts.get(part));
  }

  /** Records these values of an object's parts. */
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

  /** Discards the value of a part. */
  void forget(S object, P part) {
    Map<P, Noted<V>> parts = objects.get(object);
    if (parts != null && parts.remove(part) != null && parts.isEmpty()) {
      objects.remove(object);
    }
  }

  /**
   * Discards the objects for which nothing was recorded for the kept time.
   *
   * @return when to run again
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

  /** The number of objects with recorded values. */
  public int size() {
    return objects.size();
  }
}
