package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import java.util.Optional;

/**
 * The Node has no machine: that its Host is gone was found by a live read. It begins a disruption;
 * a reboot under way gets it from {@code NodeDisruption}, after what it supersedes has left.
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
