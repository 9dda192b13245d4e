package io.nodepool.control;

import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.Namespaces;
import io.nodepool.model.ReconcileKey;
import io.nodepool.plan.ControlPlaneNamespaces;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The reconcile loop of Namespaces: observes, plans and acts for one Namespace at a time. Confined
 * to the decision thread.
 *
 * @param organization the organization that owns users' Namespaces; empty while no offer was
 *     observed
 */
record NamespaceLoop(
    ClusterState state,
    Namespaces namespaces,
    Supplier<Optional<String>> organization,
    ControlPlaneNamespaces planner,
    ActionSubmitter writes) {
  /**
   * Reconciles the Namespace of this name.
   *
   * @return when to run again even if nothing changes
   */
  Optional<Instant> reconcile(String name) {
    if (!state.isComplete()) {
      return Optional.empty();
    }
    return namespaces
        .find(name)
        .flatMap(seen -> planner.plan(seen, namespaces.author(name), organization.get()))
        .flatMap(plannedAction -> writes.submit(plannedAction, new ReconcileKey.OfNamespace(name)));
  }
}
