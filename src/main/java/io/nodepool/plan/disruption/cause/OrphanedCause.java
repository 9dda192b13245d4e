package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import java.util.Optional;

/** A live read found that the pool of the Node is gone; the Node still exists. */
public record OrphanedCause() implements KnownCause {
  static final CauseKind KIND =
      new CauseKind(
              "Orphaned",
              "its pool is gone",
              "The NodePool was deleted while it still had Nodes, because a client removed its finalizer.",
              CauseRule.REMOVAL_BY_MACHINE,
              _ -> new OrphanedCause())
          .withFound(facts ->
              facts.isOrphan() ? Optional.of(facts.since(new OrphanedCause())) : Optional.empty());

  @Override
  public CauseKind kind() {
    return KIND;
  }
}
