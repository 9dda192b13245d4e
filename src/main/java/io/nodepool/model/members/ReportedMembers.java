package io.nodepool.model.members;

import io.nodepool.model.node.Member;
import io.nodepool.model.node.ReportedState;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The members of a pool in each reported state, the longest one first. Immutable: a change returns
 * another instance in logarithmic time.
 */
public record ReportedMembers(TreePMap<ReportedState, TreePSet<NamedSince>> states) {
  /** No member. */
  static final ReportedMembers NONE = new ReportedMembers(TreePMap.empty());

  /** With {@code next} in place of {@code last}. */
  ReportedMembers replaced(@Nullable Member last, @Nullable Member next) {
    TreePMap<ReportedState, TreePSet<NamedSince>> moved = states;
    for (ReportedState state : ReportedState.values()) {
      moved = IndexedSet.moved(moved, state, since(last, state), since(next, state));
    }
    return new ReportedMembers(moved);
  }

  private TreePSet<NamedSince> in(ReportedState state) {
    return states.getOrDefault(state, TreePSet.empty());
  }

  private static @Nullable NamedSince since(@Nullable Member member, ReportedState state) {
    return member == null
        ? null
        : state
            .since(member)
            .map(
                since -> new NamedSince(since, member.host().id().name(), member.host().id().uid()))
            .orElse(null);
  }

  /** How many are in this state. */
  public int count(ReportedState state) {
    return in(state).size();
  }

  /** The first of them. */
  public Stream<NamedSince> first(ReportedState state, int limit) {
    return in(state).stream().limit(limit);
  }
}
