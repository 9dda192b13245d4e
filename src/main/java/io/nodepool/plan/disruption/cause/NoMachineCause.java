package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import io.nodepool.plan.disruption.Demand;
import java.time.Instant;

/** The Node has no machine: that its Host is gone was found by a live read. */
public record NoMachineCause() implements KnownCause {
  static final CauseKind KIND =
      new CauseKind(
          "NoMachine",
          "it has no machine any more",
          "The Host of the Node was deleted, or no longer belongs to the tenancy of the Node.",
          _ -> new NoMachineCause());

  @Override
  public CauseKind kind() {
    return KIND;
  }

  @Override
  public CauseRule rule() {
    return CauseRule.REMOVAL_BY_MACHINE;
  }

  @Override
  public Demand demand(Instant at, CauseFacts facts) {
    return facts.leaving(at(at));
  }
}
