package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.vocabulary.CandidateRank;
import java.time.Instant;
import java.util.Optional;

/**
 * The pool is being deleted, and all its Nodes leave.
 *
 * @param rank the rank with which the Node was chosen; empty if it was preempted already
 */
public record PoolDeletionCause(Optional<CandidateRank> rank) implements KnownCause {
  static final CauseKind KIND =
      new CauseKind(
          "PoolDeletion",
          "its pool is being deleted",
          "The NodePool is being deleted, and all its Nodes leave.",
          word -> new PoolDeletionCause(ScaleDownCause.rank(word)));

  private static final CauseRule RULE = CauseRule.REMOVAL_BY_POOL.withGroup(CauseRule.Group.SIZE);

  @Override
  public CauseKind kind() {
    return KIND;
  }

  @Override
  public CauseRule rule() {
    return RULE;
  }

  @Override
  public Demand demand(Instant at, CauseFacts facts) {
    return facts.leaving(at(at));
  }

  @Override
  public String reference() {
    return rank.map(CandidateRank::word).orElse("");
  }
}
