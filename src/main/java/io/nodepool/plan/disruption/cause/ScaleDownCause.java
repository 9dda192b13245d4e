package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import io.nodepool.vocabulary.CandidateRank;
import io.nodepool.vocabulary.Word;
import java.util.Optional;

/**
 * The pool has more Nodes than its target, and chose the Node. The write that adds a preemption
 * removes this cause: the pool counts a preempted Node as leaving, so it would not have chosen the
 * Node after the notice (decision D71).
 *
 * @param rank the rank with which the Node was chosen
 */
public record ScaleDownCause(CandidateRank rank) implements KnownCause {
  /** Its rule. */
  public static final CauseRule RULE =
      CauseRule.REMOVAL_BY_POOL
          .withOfSize(true)
          .withYieldsTo(Optional.of(CauseRule.CountsAs.PREEMPTION))
          .withPauses(true);

  static final CauseKind KIND =
      new CauseKind(
              "ScaleDown",
              "its pool has too many Nodes",
              "The pool has more Nodes than its target, and the Node was chosen to leave.",
              RULE,
              word -> new ScaleDownCause(rank(word).orElseThrow(IllegalArgumentException::new)))
          .withOfPool((target, held) ->
              held > target
                  ? "the target is " + target
                  : "the pool had more Nodes than its target");

  /** The rank with this word; empty for empty text. */
  static Optional<CandidateRank> rank(String word) {
    return word.isEmpty()
        ? Optional.empty()
        : Optional.of(
            Word.of(CandidateRank.class, word).orElseThrow(IllegalArgumentException::new));
  }

  @Override
  public CauseKind kind() {
    return KIND;
  }

  @Override
  public String reference() {
    return rank.word();
  }

  @Override
  public String text() {
    return rank.text();
  }

  @Override
  public Optional<CandidateRank> chosenRank() {
    return Optional.of(rank);
  }

  @Override
  public boolean isRemovalRequest() {
    return rank.isRequest();
  }
}
