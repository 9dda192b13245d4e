package io.nodepool.plan.metadata;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.Optional;

/**
 * The state in which a Node leaves: {@code triage} if its Host is out of use, {@code zap} if the
 * Host is cleaned. The taint of the state is NoExecute and respects no budget, so the machine is
 * asked to stop first: then no work counts any more (decision D250).
 */
public final class LeavingState {
  private LeavingState() {}

  /**
   * The one write that shows the state on the Node of a machine that was asked to stop, with its
   * reservation; empty if the Node shows it. A Node without a state label has no state.
   */
  public static Optional<PlannedAction> show(Node node, Host host) {
    if (node.metadata().label(NodeLabels.STATE).isEmpty()) {
      return Optional.empty();
    }
    String state = of(host).word();
    NodeDraft draft = new NodeDraft(node.metadata());
    draft.label(NodeLabels.STATE.key(), state);
    // In every state but production, a Node is reserved for its state.
    Reserving.reserve(state, state, Optional.empty(), draft);
    NodeChange.OfSpec change = draft.change();
    return change.isEmpty()
        ? Optional.empty()
        : Optional.of(
            PlannedAction.quiet(
                Action.WriteNode.of(
                    node, new NodePrecondition.Uid(), change, NodePurpose.SHOW_STATE),
                "its machine is stopped"));
  }

  private static LifecycleState of(Host host) {
    return host.deliveries().isSetAside() || host.is(HostPhase.FAILED)
        ? LifecycleState.TRIAGE
        : LifecycleState.ZAP;
  }
}
