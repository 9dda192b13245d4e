package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import java.util.Optional;

/**
 * The Node has no machine: a live read found that its Host is gone. This begins a disruption;
 * {@code NodeDisruption} adds the cause to a reboot under way, after superseded causes have left.
 */
public record NoMachineCause() implements KnownCause {
  static final CauseKind KIND =
      new CauseKind(
              "NoMachine",
              "it has no machine any more",
              "The Host of the Node was deleted, or no longer belongs to the tenancy of the Node.",
              CauseRule.REMOVAL_BY_MACHINE,
              _ -> new NoMachineCause())
          .withFound(facts ->
              facts.host().isEmpty() && facts.recorded().isEmpty()
                  ? Optional.of(new NoMachineCause().at(facts.now()))
                  : Optional.empty());

  @Override
  public CauseKind kind() {
    return KIND;
  }
}
