package io.nodepool.model.members;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/** Changes of the persistent sets in which members are found. */
final class IndexedSet {
  private IndexedSet() {}

  /** The set without the last element and with the next one; null stands for none. */
  static <E> TreePSet<E> moved(TreePSet<E> set, @Nullable E last, @Nullable E next) {
    if (Objects.equals(last, next)) {
      return set;
    }
    TreePSet<E> rest = last == null ? set : set.minus(last);
    return next == null ? rest : rest.plus(next);
  }

  /** The sets with the element moved in the one of this key; an empty set is left out. */
  static <K, E extends Comparable<E>> TreePMap<K, TreePSet<E>> moved(
      TreePMap<K, TreePSet<E>> sets, K key, @Nullable E last, @Nullable E next) {
    if (Objects.equals(last, next)) {
      return sets;
    }
    TreePSet<E> after = moved(sets.getOrDefault(key, TreePSet.empty()), last, next);
    return after.isEmpty() ? sets.minus(key) : sets.plus(key, after);
  }

  /** The counts with this much more for a key; a count of zero is left out. */
  static <K> TreePMap<K, Integer> counted(TreePMap<K, Integer> counts, K key, int more) {
    if (more == 0) {
      return counts;
    }
    int count = counts.getOrDefault(key, 0) + more;
    return count == 0 ? counts.minus(key) : counts.plus(key, count);
  }
}
