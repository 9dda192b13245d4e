package io.nodepool.world;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** The differences between two outcomes. */
final class Difference {
  private Difference() {}

  static SortedMap<String, String> of(
      SortedMap<String, String> expected, SortedMap<String, String> actual) {
    TreeSet<String> keys = new TreeSet<>(expected.keySet());
    keys.addAll(actual.keySet());
    SortedMap<String, String> difference = new TreeMap<>();
    for (String key : keys) {
      String one = expected.getOrDefault(key, "nothing");
      String other = actual.getOrDefault(key, "nothing");
      if (!one.equals(other)) {
        difference.put(key, other + " (undisturbed: " + one + ")");
      }
    }
    return difference;
  }
}
