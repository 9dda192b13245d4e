package io.nodepool.model.occurrence;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;

/** The count of each occurrence; those that never happened are left out. */
public record Occurrences(Map<Occurrence, Integer> counts) {
  /** No occurrences. */
  public static final Occurrences NONE = new Occurrences(Map.of());

  public Occurrences {
    EnumMap<Occurrence, Integer> kept = new EnumMap<>(Occurrence.class);
    counts.forEach((what, count) -> {
      if (count > 0) {
        kept.put(what, count);
      }
    });
    counts = Collections.unmodifiableMap(kept);
  }

  /** The count of this occurrence. */
  public int of(Occurrence what) {
    return counts.getOrDefault(what, 0);
  }

  /** These counts, with this occurrence this many times more. */
  public Occurrences plus(Occurrence what, int times) {
    EnumMap<Occurrence, Integer> next = new EnumMap<>(Occurrence.class);
    next.putAll(counts);
    next.merge(what, times, Integer::sum);
    return new Occurrences(next);
  }

  /** The greater count of each occurrence. */
  public Occurrences max(Occurrences other) {
    EnumMap<Occurrence, Integer> next = new EnumMap<>(Occurrence.class);
    next.putAll(counts);
    other.counts.forEach((what, count) -> next.merge(what, count, Math::max));
    return new Occurrences(next);
  }
}
