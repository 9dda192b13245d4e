package io.nodepool.explain;

import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.Snapshots;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.health.HealthSettings;
import io.nodepool.model.Observation;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.node.MachinePlanner;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Explains what the operator does and why, by the same planners, from objects that were listed. The
 * settings are the operator's defaults.
 */
public final class Explanations {
  /** Longer than what an operator waits for after its start, and before it counts as watching. */
  private static final Duration OBSERVED = Duration.ofHours(1);

  private final Snapshots snapshots;
  private final List<String> pools;
  private final PoolPlanner ofPools;
  private final MachinePlanner ofMachines;
  private final Instant now;

  private Explanations(List<Observation> seen, Instant now) {
    this.snapshots = state(seen, now).snapshots();
    this.pools =
        seen.stream()
            .filter(Observation.PoolSeen.class::isInstance)
            .map(each -> ((Observation.PoolSeen) each).pool().id().name())
            .sorted()
            .toList();
    this.now = now;
    InstanceCatalogue catalogue = InstanceCatalogue.bundled();
    this.ofPools = new PoolPlanner(catalogue, PlanSettings.DEFAULTS);
    this.ofMachines = new MachinePlanner(catalogue, PlanSettings.DEFAULTS);
  }

  /** Explanations from what an operator would observe of the objects. */
  public static Explanations of(List<Observation> seen, Instant now) {
    return new Explanations(seen, now);
  }

  /**
   * The state of an operator that has observed this for a while and has written nothing: what it
   * holds in memory alone, such as back-off and live reads, is missing.
   */
  public static ClusterState state(List<Observation> seen, Instant now) {
    ClusterState state =
        new ClusterState(
            ControlPlaneNamespaces.DEFAULTS,
            HealthSettings.DEFAULTS,
            KeyExceptions.NONE,
            () -> now);
    seen.forEach(each -> {
      var _ = state.fold(each, ClusterState.Source.WATCH);
    });
    var _ = state.completed(now.minus(OBSERVED));
    return state;
  }

  /** Explains a NodePool; empty if there is none of this name that can be read. */
  public Optional<PoolExplanation> pool(String name, OptionalInt target) {
    return snapshots.pool(name).map(seen -> PoolExplanation.of(ofPools, seen, target, now));
  }

  /** Explains a Node; empty if no NodePool holds a machine of this name that can be read. */
  public Optional<NodeExplanation> node(String name) {
    return snapshots
        .machine(name)
        .flatMap(seen ->
            holder(seen).map(pool -> NodeExplanation.of(ofMachines, ofPools, seen, pool, now)));
  }

  /** Explains a Host; empty if there is none of this name that can be read. */
  public Optional<HostExplanation> host(String name) {
    return snapshots
        .machine(name)
        .map(seen ->
            HostExplanation.of(
                ofPools, seen, pools.stream().flatMap(each -> snapshots.pool(each).stream()), now));
  }

  private Optional<PoolSnapshot> holder(MachineSnapshot seen) {
    return seen.pool().flatMap(each -> snapshots.pool(each.id().name()));
  }
}
