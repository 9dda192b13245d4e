package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;

/** The machine of a Node stopped or failed by itself, and did not recover in time. */
public record MachineOutageCause() implements KnownCause {
  static final CauseKind KIND =
      new CauseKind(
              "MachineOutage",
              "its machine does not run any more",
              "The fleet reports that the machine stopped or failed, and it did not recover in time.",
              CauseRule.REMOVAL_BY_POOL,
              _ -> new MachineOutageCause())
          .withBlame(CauseKind.Blame.DELIVERY);

  @Override
  public CauseKind kind() {
    return KIND;
  }

  @Override
  public boolean isOutage() {
    return true;
  }
}
