package io.nodepool.plan;

import io.nodepool.model.Condition;
import io.nodepool.model.EventState;
import io.nodepool.model.Growth;
import io.nodepool.model.Member;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.model.PoolStatus;
import io.nodepool.model.RackCounts;
import io.nodepool.model.RemovalBatch;
import io.nodepool.vocabulary.PoolCondition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What status counts. The three add up to what is granted, while nothing is over it (decision D2).
 */
record Counts(int current, int inProgress, int queued, Optional<RackCounts> racks) {
  /**
   * @param queueing how many of the missing Nodes may be queued
   */
  static Counts of(PoolSnapshot seen, Optional<Growth> growth, int queueing, int rackSize) {
    int current = 0;
    int inProgress = 0;
    for (Member member : seen.members()) {
      current += member.isCurrent() ? 1 : 0;
      inProgress += member.isInProgress() ? 1 : 0;
    }
    for (PoolSnapshot.Unread unread : seen.unread()) {
      current += unread.registered() ? 1 : 0;
      inProgress += unread.registered() ? 0 : 1;
    }
    int granted = growth.map(Growth::granted).orElse(0);
    int queued = Math.min(Math.max(0, granted - current - inProgress), queueing);
    int target = growth.map(Growth::target).orElse(0);
    return new Counts(current, inProgress, queued, racks(seen.members(), target, queued, rackSize));
  }

  private static Optional<RackCounts> racks(
      List<Member> members, int target, int queued, int rackSize) {
    if (rackSize <= 1) {
      return Optional.empty();
    }
    Map<String, Long> current =
        members.stream()
            .filter(Member::isCurrent)
            .collect(
                Collectors.groupingBy(
                    member -> member.host().machine().rack(), TreeMap::new, Collectors.counting()));
    int whole = (int) current.values().stream().filter(nodes -> nodes >= rackSize).count();
    return Optional.of(
        new RackCounts(target / rackSize, whole, (queued + rackSize - 1) / rackSize));
  }

  PoolStatus status(
      long generation,
      int target,
      RemovalBatch removal,
      String profile,
      String nodeMetadata,
      Optional<Growth> growth,
      Map<PoolCondition, Condition> conditions,
      EventState events) {
    return new PoolStatus(
        generation,
        new PoolStatus.NodeCounts(target, current, inProgress, queued, racks),
        removal,
        new PoolStatus.Rollout(profile, nodeMetadata),
        growth,
        conditions,
        events);
  }
}
