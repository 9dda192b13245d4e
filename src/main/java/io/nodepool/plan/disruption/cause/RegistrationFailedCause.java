package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import io.nodepool.plan.disruption.Demand;
import java.time.Instant;

/** The machine booted, and its Node did not register in time. */
public record RegistrationFailedCause() implements KnownCause {
  static final CauseKind KIND =
      new CauseKind(
          "RegistrationFailed",
          "it did not register in time",
          "The machine booted and its Node did not register in time; the machine is returned to the fleet.",
          _ -> new RegistrationFailedCause());

  @Override
  public CauseKind kind() {
    return KIND;
  }

  @Override
  public CauseRule rule() {
    return CauseRule.REMOVAL_BY_POOL;
  }

  @Override
  public Demand demand(Instant at, CauseFacts facts) {
    return facts.leaving(at(at));
  }

  @Override
  public Blame blame() {
    return Blame.DELIVERY;
  }
}
