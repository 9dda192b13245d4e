package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import io.nodepool.vocabulary.CandidateRank;
import java.util.Optional;

/**
 * The pool is being deleted, and all its Nodes leave.
 *
 * @param rank the rank with which the Node was chosen; empty if it was preempted already
 */
public record PoolDeletionCause(Optional<CandidateRank> rank) implements KnownCause {
  private static final CauseRule RULE = CauseRule.REMOVAL_BY_POOL.withOfSize(true);

  static final CauseKind KIND =
      new CauseKind(
          "PoolDeletion",
          "its pool is being deleted",
          "The NodePool is being deleted, and all its Nodes leave.",
          RULE,
          word -> new PoolDeletionCause(ScaleDownCause.rank(word)));

  @Override
  public CauseKind kind() {
    return KIND;
  }

  @Override
  public Optional<CandidateRank> chosenRank() {
    return rank;
  }

  @Override
  public String reference() {
    return rank.map(CandidateRank::word).orElse("");
  }
}
