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
 */
final class NamespaceLoop {
  private final ClusterState state;
  private final Namespaces namespaces;
  private final ControlPlaneNamespaces planner;
  private final ActionSubmitter writes;
  private final Supplier<Optional<String>> organization;

  /**
   * @param organization the organization that owns users' Namespaces; empty while no offer was
   *     observed
   */
  NamespaceLoop(
      ClusterState state,
      Namespaces namespaces,
      Supplier<Optional<String>> organization,
      ControlPlaneNamespaces planner,
      ActionSubmitter writes) {
    this.state = state;
    this.namespaces = namespaces;
    this.organization = organization;
    this.planner = planner;
    this.writes = writes;
  }

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
