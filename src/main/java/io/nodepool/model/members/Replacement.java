package io.nodepool.model.members;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.pcollections.PMap;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The next state of an object in place of the last one, and the resulting changes of the persistent
 * sets and counts that contain it.
 *
 * @param last empty if the object is new
 * @param next empty if the object is gone
 */
record Replacement<T>(Optional<T> last, Optional<T> next) {
  /** The set with the element of the next state in place of the last state's element. */
  <E> TreePSet<E> in(TreePSet<E> set, Function<T, Optional<E>> element) {
    Optional<E> before = last.flatMap(element);
    Optional<E> after = next.flatMap(element);
    if (before.equals(after)) {
      return set;
    }
    TreePSet<E> rest = before.map(set::minus).orElse(set);
    return after.map(rest::plus).orElse(rest);
  }

  /**
   * The sets by key, each with the next state's element in place of the last state's; empty sets
   * are left out.
   */
  <K, E extends Comparable<E>> TreePMap<K, TreePSet<E>> inEach(
      TreePMap<K, TreePSet<E>> sets, Function<T, Map<K, E>> elements) {
    Map<K, E> before = last.map(elements).orElse(Map.of());
    Map<K, E> after = next.map(elements).orElse(Map.of());
    TreePMap<K, TreePSet<E>> changed = sets;
    for (Map.Entry<K, E> each : before.entrySet()) {
      if (!each.getValue().equals(after.get(each.getKey()))) {
        TreePSet<E> rest = in(changed, each.getKey()).minus(each.getValue());
        changed = rest.isEmpty() ? changed.minus(each.getKey()) : changed.plus(each.getKey(), rest);
      }
    }
    for (Map.Entry<K, E> each : after.entrySet()) {
      if (!each.getValue().equals(before.get(each.getKey()))) {
        changed = changed.plus(each.getKey(), in(changed, each.getKey()).plus(each.getValue()));
      }
    }
    return changed;
  }

  private static <K, E extends Comparable<E>> TreePSet<E> in(TreePMap<K, TreePSet<E>> sets, K key) {
    return sets.getOrDefault(key, TreePSet.empty());
  }

  /**
   * The counts with the next state counted instead of the last one; a count of zero is left out.
   */
  <K> PMap<K, Integer> counted(PMap<K, Integer> counts, Function<T, Stream<K>> keys) {
    List<K> before = last.stream().flatMap(keys).toList();
    List<K> after = next.stream().flatMap(keys).toList();
    PMap<K, Integer> changed = counts;
    if (!before.equals(after)) {
      for (K key : before) {
        int count = changed.getOrDefault(key, 0) - 1;
        changed = count == 0 ? changed.minus(key) : changed.plus(key, count);
      }
      for (K key : after) {
        changed = changed.plus(key, changed.getOrDefault(key, 0) + 1);
      }
    }
    return changed;
  }

  /** By how much the number of objects with this property grows. */
  int more(Predicate<T> property) {
    return (next.filter(property).isPresent() ? 1 : 0)
        - (last.filter(property).isPresent() ? 1 : 0);
  }

  /** The replacement in the group of each key. */
  <K> Map<K, Replacement<T>> by(Function<T, K> key) {
    Map<K, Replacement<T>> groups = new LinkedHashMap<>();
    last.ifPresent(each -> groups.put(key.apply(each), new Replacement<>(last, Optional.empty())));
    next.ifPresent(each ->
        groups.merge(
            key.apply(each),
            new Replacement<>(Optional.empty(), next),
            (left, entered) -> new Replacement<>(left.last(), entered.next())));
    return groups;
  }
}
