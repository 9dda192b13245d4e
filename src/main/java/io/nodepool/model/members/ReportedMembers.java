package io.nodepool.model.members;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.ReportedState;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pcollections.HashPMap;
import org.pcollections.HashTreePMap;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The members of a pool in each reported state, the longest one first, and what their Nodes record
 * of the metadata that was applied to them. Immutable: a change returns another instance in
 * logarithmic time.
 *
 * @param applied how many Nodes carry each record, of those that have joined and do not leave
 */
public record ReportedMembers(
    TreePMap<ReportedState, TreePSet<NamedSince>> states, HashPMap<NodeTemplate, Integer> applied) {
  /** No member. */
  static final ReportedMembers NONE = new ReportedMembers(TreePMap.empty(), HashTreePMap.empty());

  /** With {@code next} in place of {@code last}. */
  ReportedMembers replaced(@Nullable Member last, @Nullable Member next) {
    TreePMap<ReportedState, TreePSet<NamedSince>> moved = states;
    for (ReportedState state : ReportedState.values()) {
      moved = IndexedSet.moved(moved, state, since(last, state), since(next, state));
    }
    return new ReportedMembers(moved, recorded(record(last), record(next)));
  }

  private HashPMap<NodeTemplate, Integer> recorded(
      @Nullable NodeTemplate last, @Nullable NodeTemplate next) {
    if (Objects.equals(last, next)) {
      return applied;
    }
    HashPMap<NodeTemplate, Integer> rest = last == null ? applied : counted(applied, last, -1);
    return next == null ? rest : counted(rest, next, 1);
  }

  private static HashPMap<NodeTemplate, Integer> counted(
      HashPMap<NodeTemplate, Integer> counts, NodeTemplate key, int more) {
    int count = counts.getOrDefault(key, 0) + more;
    return count == 0 ? counts.minus(key) : counts.plus(key, count);
  }

  private static @Nullable NodeTemplate record(@Nullable Member member) {
    return member == null || member.isTerminating()
        ? null
        : member
            .node()
            .map(node -> node.metadata().applied().orElse(NodeTemplate.EMPTY))
            .orElse(null);
  }

  /** Whether any Node has joined that does not leave. */
  public boolean anyJoined() {
    return !applied.isEmpty();
  }

  /** Whether any such Node does not carry the record of this metadata. */
  public boolean anyWithout(NodeTemplate wanted) {
    return applied.keySet().stream().anyMatch(each -> !each.permitted().equals(wanted));
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
