package io.nodepool.control;

import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.Namespaces;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.ReconcileKey;
import io.nodepool.plan.ControlPlaneNamespaces;
import java.time.Instant;
import java.util.Optional;

/**
 * The reconcile loop of Namespaces: observes, plans and acts for one Namespace at a time. Confined
 * to the decision thread.
 */
record NamespaceLoop(ClusterState state, ControlPlaneNamespaces planner, ActionSubmitter writes) {
  /**
   * Reconciles the Namespace of this name.
   *
   * @return when to run again even if nothing changes
   */
  Optional<Instant> reconcile(String name) {
    if (!state.isComplete()) {
      return Optional.empty();
    }
    Namespaces namespaces = state.namespaces();
    return namespaces
        .find(name)
        .flatMap(seen ->
            planner.plan(
                seen, namespaces.author(name), state.offer().map(FleetOffer::organization)))
        .flatMap(plannedAction -> writes.submit(plannedAction, new ReconcileKey.OfNamespace(name)));
  }
}
