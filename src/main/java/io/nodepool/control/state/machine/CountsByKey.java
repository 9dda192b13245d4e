package io.nodepool.control.state.machine;

import java.util.Map;

/** Changes of maps that hold how many there are of each key. */
public final class CountsByKey {
  private CountsByKey() {}

  /** Counts this many more; a key of which none is left is removed. */
  public static <K> void add(Map<K, Integer> counts, K key, int more) {
    counts.merge(key, more, (last, added) -> last + added == 0 ? null : last + added);
  }
}
