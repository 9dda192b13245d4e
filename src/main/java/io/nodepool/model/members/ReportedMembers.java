package io.nodepool.model.members;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.ReportedState;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;
import org.pcollections.HashTreePMap;
import org.pcollections.PMap;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The members of a pool in each reported state, the longest time in it first, and the applied
 * metadata that their Nodes record. Immutable: a change returns another instance in logarithmic
 * time.
 *
 * @param applied how many Nodes that have joined and do not leave carry each record
 */
public record ReportedMembers(
    TreePMap<ReportedState, TreePSet<NamedSince>> states, PMap<NodeTemplate, Integer> applied) {
  /** No member. */
  static final ReportedMembers NONE = new ReportedMembers(TreePMap.empty(), HashTreePMap.empty());

  /** With the next state of a member in place of the last one. */
  ReportedMembers replaced(Replacement<Member> member) {
    return new ReportedMembers(
        member.inEach(states, ReportedMembers::statesOf),
        member.counted(applied, ReportedMembers::recorded));
  }

  private static Stream<NodeTemplate> recorded(Member member) {
    return member.node().stream()
        .filter(_ -> !member.isTerminating())
        .map(node -> node.metadata().applied().orElse(NodeTemplate.EMPTY));
  }

  private static Map<ReportedState, NamedSince> statesOf(Member member) {
    Map<ReportedState, NamedSince> states = new EnumMap<>(ReportedState.class);
    HostId host = member.host().id();
    for (ReportedState state : ReportedState.values()) {
      state.since(member).ifPresent(since -> states.put(state, NamedSince.of(since, host)));
    }
    return states;
  }

  /** Whether any Node has joined and does not leave. */
  public boolean anyJoined() {
    return !applied.isEmpty();
  }

  /** Whether any Node that has joined and does not leave lacks the record of this metadata. */
  public boolean anyWithout(NodeTemplate wanted) {
    return applied.keySet().stream().anyMatch(each -> !each.permitted().equals(wanted));
  }

  private TreePSet<NamedSince> in(ReportedState state) {
    return states.getOrDefault(state, TreePSet.empty());
  }

  /** The number of members in this state. */
  public int count(ReportedState state) {
    return in(state).size();
  }

  /** The first members in this state. */
  public Stream<NamedSince> first(ReportedState state, int limit) {
    return in(state).stream().limit(limit);
  }
}
