package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Node;
import io.nodepool.plan.ConditionChange;
import io.nodepool.vocabulary.condition.RegistrationReason;
import java.util.List;

/** The machine booted, and its Node did not register in time. */
public record RegistrationFailedCause() implements KnownCause {
  static final CauseKind KIND =
      new CauseKind(
              "RegistrationFailed",
              "it did not register in time",
              "The machine booted and its Node did not register in time; the machine is returned to the fleet.",
              CauseRule.REMOVAL_BY_POOL,
              _ -> new RegistrationFailedCause())
          .withBlame(CauseKind.Blame.DELIVERY);

  @Override
  public CauseKind kind() {
    return KIND;
  }

  @Override
  public List<ConditionChange> conditions(Node node) {
    return node.registered()
        ? List.of()
        : List.of(
            ConditionChange.notRegistered(
                node,
                RegistrationReason.REGISTRATION_FAILED,
                "The Node did not register in time; its machine is given back."));
  }
}
