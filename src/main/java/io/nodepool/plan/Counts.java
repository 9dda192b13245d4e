package io.nodepool.plan;

import io.nodepool.model.Condition;
import io.nodepool.model.Growth;
import io.nodepool.model.Member;
import io.nodepool.model.PoolStatus;
import io.nodepool.vocabulary.PoolCondition;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What status counts. The three add up to what is granted, while nothing is over it (decision D2).
 */
record Counts(int current, int inProgress, int queued) {
  /**
   * @param queueing how many of the missing Nodes may be queued
   */
  static Counts of(List<Member> members, Optional<Growth> growth, int queueing) {
    int current = 0;
    int inProgress = 0;
    for (Member member : members) {
      current += member.isCurrent() ? 1 : 0;
      inProgress += member.isInProgress() ? 1 : 0;
    }
    int granted = growth.map(Growth::granted).orElse(0);
    int missing = Math.max(0, granted - current - inProgress);
    return new Counts(current, inProgress, Math.min(missing, queueing));
  }

  PoolStatus status(
      long generation,
      String profile,
      String nodeMetadata,
      Optional<Growth> growth,
      Map<PoolCondition, Condition> conditions) {
    return new PoolStatus(
        generation, current, inProgress, queued, profile, nodeMetadata, growth, conditions);
  }
}
