package io.nodepool.plan.pool;

import io.nodepool.model.members.Members;
import io.nodepool.model.members.NamedSince;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.ReportedState;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.NodesInState;
import io.nodepool.model.pool.PoolStatus.NodeCounts;
import io.nodepool.model.pool.PoolStatus.RackCounts;
import io.nodepool.model.snapshot.PoolSnapshot;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The counts of a pool's status, and its Nodes in each reported state. Current, in-progress and
 * queued Nodes add up to the granted size, unless the pool holds more (decision D2).
 */
final class StatusCounts {
  private StatusCounts() {}

  /**
   * The counts of a pool.
   *
   * @param queueing how many of the missing Nodes may be queued
   */
  static NodeCounts of(PoolSnapshot seen, Optional<Growth> growth, int queueing, int rackSize) {
    Members members = seen.members();
    int unregistered = (int) seen.unread().stream().filter(unread -> !unread.registered()).count();
    int known = members.count(Members.Trait.CURRENT) + seen.unread().size() - unregistered;
    // Nodes that were never read and are counted in the published number of current Nodes.
    int asBefore =
        Math.clamp(
            seen.pool().status().currentNodes() - (long) known,
            0,
            members.count(Members.Trait.UNREAD) + unregistered);
    long neverReadInProgress =
        members.having(Members.Trait.UNREAD).filter(Member::isInProgress).count() + unregistered;
    int current = known + asBefore;
    int inProgress =
        members.count(Members.Trait.IN_PROGRESS)
            + unregistered
            - (int) Math.min(asBefore, neverReadInProgress);
    int granted = growth.map(Growth::granted).orElse(0);
    int queued = Math.min(Math.max(0, granted - current - inProgress), queueing);
    int target = growth.map(Growth::target).orElse(0);
    return new NodeCounts(
        seen.pool().spec().target(),
        current,
        inProgress,
        queued,
        racks(members, target, queued, rackSize),
        states(members));
  }

  private static Map<ReportedState, NodesInState> states(Members members) {
    Map<ReportedState, NodesInState> states = new EnumMap<>(ReportedState.class);
    for (ReportedState state : ReportedState.values()) {
      List<NamedSince> first = members.byState().first(state, NodesInState.NAMED).toList();
      if (!first.isEmpty()) {
        states.put(
            state,
            new NodesInState(
                members.byState().count(state),
                first.stream().map(NamedSince::name).toList(),
                first.getFirst().since()));
      }
    }
    return states;
  }

  private static Optional<RackCounts> racks(Members members, int target, int queued, int rackSize) {
    if (rackSize <= 1) {
      return Optional.empty();
    }
    int whole = members.byRack().currentWith(rackSize);
    return Optional.of(
        new RackCounts(target / rackSize, whole, (queued + rackSize - 1) / rackSize));
  }
}
