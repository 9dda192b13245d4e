package io.nodepool.model.members;

import io.nodepool.model.node.Member;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The places of members in an order, for each of several names, such as names of alerts. Immutable:
 * a change returns another instance in logarithmic time.
 *
 * @param byName names without a place are left out
 */
public record Places<P extends Comparable<P>>(TreePMap<String, TreePSet<P>> byName) {
  /** No place. */
  static <P extends Comparable<P>> Places<P> none() {
    return new Places<>(TreePMap.empty());
  }

  /** With the places of the next state of a member in place of the last state's places. */
  Places<P> replaced(Replacement<Member> member, Function<Member, Map<String, P>> places) {
    return new Places<>(member.inEach(byName, places));
  }

  /** The places for this name. */
  public TreePSet<P> of(String name) {
    return byName.getOrDefault(name, TreePSet.empty());
  }

  /** The first places for all names but these. */
  public Stream<P> first(Predicate<String> without, int limit) {
    return byName.entrySet().stream()
        .filter(each -> !without.test(each.getKey()))
        .flatMap(each -> each.getValue().stream().limit(limit))
        .sorted()
        .limit(limit);
  }

  /** The number of places for all names but these. */
  public int count(Predicate<String> without) {
    return byName.entrySet().stream()
        .filter(each -> !without.test(each.getKey()))
        .mapToInt(each -> each.getValue().size())
        .sum();
  }

  /** The number of all places. */
  public int count() {
    return count(_ -> false);
  }

  /** Whether there is no place. */
  public boolean isEmpty() {
    return byName.isEmpty();
  }
}
