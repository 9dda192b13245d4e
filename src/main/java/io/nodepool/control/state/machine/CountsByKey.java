package io.nodepool.control.state.machine;

import java.util.Map;

/** Changes of maps that hold how many there are of each key. */
public final class CountsByKey {
  private CountsByKey() {}

  /** CountsByKey this many more; a key of which none is left is removed. */
  public static <K> void add(Map<K, Integer> counts, K key, int more) {
    int count = counts.getOrDefault(key, 0) + more;
    if (count == 0) {
      counts.remove(key);
    } else {
      counts.put(key, count);
    }
  }
}
