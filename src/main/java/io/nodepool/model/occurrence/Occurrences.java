package io.nodepool.model.occurrence;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/** The count of each occurrence; occurrences that never happened are left out. */
public record Occurrences(Map<Occurrence, Integer> counts) {
  /** No occurrences. */
  public static final Occurrences NONE = new Occurrences(Map.of());

  public Occurrences {
    Map<Occurrence, Integer> kept = new TreeMap<>(counts);
    kept.values().removeIf(count -> count <= 0);
    counts = Collections.unmodifiableMap(kept);
  }

  /** The count of this occurrence. */
  public int of(Occurrence what) {
    return counts.getOrDefault(what, 0);
  }

  /** These counts, with this occurrence this many times more. */
  public Occurrences plus(Occurrence what, int times) {
    Map<Occurrence, Integer> next = new TreeMap<>(counts);
    next.merge(what, times, Integer::sum);
    return new Occurrences(next);
  }

  /** The greater count of each occurrence. */
  public Occurrences max(Occurrences other) {
    Map<Occurrence, Integer> next = new TreeMap<>(counts);
    other.counts.forEach((what, count) -> next.merge(what, count, Math::max));
    return new Occurrences(next);
  }
}
