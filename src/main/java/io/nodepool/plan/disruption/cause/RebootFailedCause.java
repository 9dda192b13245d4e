package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.plan.disruption.Demand;
import java.time.Instant;

/** The machine of a Node did not come back from its reboot, and runs no work any more. */
public record RebootFailedCause() implements KnownCause {
  static final CauseKind KIND =
      new CauseKind(
              "RebootFailed",
              "its machine did not come back from its reboot",
              "The machine did not boot, or did not pass its verification, in any attempt. Its Host is set aside, and the pool gets another one.",
              CauseRule.REMOVAL_BY_MACHINE,
              _ -> new RebootFailedCause())
          .withBlame(CauseKind.Blame.REBOOT);

  @Override
  public CauseKind kind() {
    return KIND;
  }

  @Override
  public Demand demand(Instant at, CauseFacts facts) {
    return Demand.of(facts.whenIdle().withInterruptAt(at), new DisruptionEnding.Leave());
  }
}
