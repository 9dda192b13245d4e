package io.nodepool.control.state.machine;

import java.util.Map;

/** Changes of maps from keys to counts. */
public final class CountsByKey {
  private CountsByKey() {}

  /** Adds to the count of a key; a key whose count becomes 0 is removed. */
  public static <K> void add(Map<K, Integer> counts, K key, int more) {
    counts.merge(key, more, (last, added) -> last + added == 0 ? null : last + added);
  }
}
