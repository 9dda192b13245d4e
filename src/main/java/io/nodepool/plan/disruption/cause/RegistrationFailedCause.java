package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;

/** The machine booted, and its Node did not register in time. */
public record RegistrationFailedCause() implements KnownCause {
  static final CauseKind KIND =
      new CauseKind(
          "RegistrationFailed",
          "it did not register in time",
          "The machine booted and its Node did not register in time; the machine is returned to the fleet.",
          CauseRule.REMOVAL_BY_POOL,
          _ -> new RegistrationFailedCause());

  @Override
  public CauseKind kind() {
    return KIND;
  }

  @Override
  public Blame blame() {
    return Blame.DELIVERY;
  }
}
