package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;

/** The Node has no machine: that its Host is gone was found by a live read. */
public record NoMachineCause() implements KnownCause {
  static final CauseKind KIND =
      new CauseKind(
          "NoMachine",
          "it has no machine any more",
          "The Host of the Node was deleted, or no longer belongs to the tenancy of the Node.",
          CauseRule.REMOVAL_BY_MACHINE,
          _ -> new NoMachineCause());

  @Override
  public CauseKind kind() {
    return KIND;
  }
}
