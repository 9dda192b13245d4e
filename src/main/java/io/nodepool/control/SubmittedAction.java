package io.nodepool.control;

import io.nodepool.control.write.WriteRequest;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.plan.Action;
import io.nodepool.plan.ActionText;
import io.nodepool.plan.EndedCause;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An action, and the key of the loop that requests it.
 *
 * @param effects the values that the action sets
 * @param ended the causes that end with the action, once it is sent
 */
record SubmittedAction(
    PlannedAction plannedAction,
    ReconcileKey owner,
    Map<String, Object> effects,
    List<EndedCause> ended)
    implements WriteRequest<Action.Subject> {
  /** This action as it is sent, and the causes that end with it. */
  SubmittedAction sent(PlannedAction other, List<EndedCause> ending) {
    return new SubmittedAction(other, owner, effects, ending);
  }

  Action action() {
    return plannedAction.action();
  }

  @Override
  public Action.Subject subject() {
    return action().subject();
  }

  @Override
  public Object kind() {
    return action().kind();
  }

  @Override
  public Optional<Object> prepares() {
    return action() instanceof Action.ListPods ? Optional.of(NodePurpose.COMMIT) : Optional.empty();
  }

  @Override
  public boolean isRetriedAtOnce() {
    return action() instanceof Action.OnHost(HostOperation.Stage _);
  }

  @Override
  public Optional<String> exempts() {
    return action().traits().exempt();
  }

  @Override
  public String toString() {
    return ActionText.of(action());
  }
}
