package io.nodepool.explain;

import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.Snapshots;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.health.HealthSettings;
import io.nodepool.model.Observation;
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
import java.util.stream.Stream;

/**
 * Explains what the operator does and why, with its planners, from listed objects. The settings are
 * the operator's defaults.
 */
public final class Explanations {
  /** Longer than an operator waits after its start, and until it counts as watching. */
  private static final Duration OBSERVED = Duration.ofHours(1);

  private final List<Observation> seen;
  private final Snapshots snapshots;
  private final Unlisted unlisted;
  private final PoolPlanner ofPools;
  private final MachinePlanner ofMachines;
  private final Instant now;

  private Explanations(List<Observation> seen, ClusterState state, Unlisted unlisted, Instant now) {
    this.seen = List.copyOf(seen);
    this.snapshots = state.snapshots();
    this.unlisted = unlisted;
    this.now = now;
    InstanceCatalogue catalogue = InstanceCatalogue.bundled();
    this.ofPools = new PoolPlanner(catalogue, PlanSettings.DEFAULTS);
    this.ofMachines = new MachinePlanner(catalogue, PlanSettings.DEFAULTS);
  }

  /** Explanations from what an operator would observe of all objects. */
  public static Explanations of(List<Observation> seen, Instant now) {
    return of(seen, Unlisted.NOTHING, Optional.empty(), now);
  }

  /**
   * Explanations from what an operator would observe of the objects.
   *
   * @param resumed when an operator led again after a long time without a leader; empty if unknown
   */
  public static Explanations of(
      List<Observation> seen, Unlisted unlisted, Optional<Instant> resumed, Instant now) {
    ClusterState state = state(seen, now);
    resumed.ifPresent(state::resumed);
    return new Explanations(seen, state, unlisted, now);
  }

  /**
   * The state of an operator that has observed this for a while and has written nothing. State that
   * is only in memory, such as back-off and live reads, is missing.
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

  /**
   * Explains a NodePool; empty if there is none of this name.
   *
   * @param target a target to explain instead of the pool's own, in racks if it is sized in racks
   */
  public Optional<PoolExplanation> pool(String name, OptionalInt target) {
    return unreadable(name, Observation.PoolUnreadable.class)
        .map(why -> PoolExplanation.unreadable(name, why))
        .or(() ->
            snapshots
                .pool(name)
                .map(pool ->
                    new PoolQuestions(ofPools, snapshots, unlisted, pool, now).answer(target)));
  }

  /** Explains a Node; empty if no NodePool holds a machine of this name. */
  public Optional<NodeExplanation> node(String name) {
    return unreadable(name, Observation.NodeUnreadable.class)
        .or(() -> unreadableMachine(name))
        .map(why -> NodeExplanation.unreadable(name, why))
        .or(() ->
            snapshots
                .machine(name)
                .flatMap(machine ->
                    machine
                        .pool()
                        .flatMap(each -> snapshots.pool(each.id().name()))
                        .map(pool ->
                            new NodeQuestions(
                                    ofPools, ofMachines.settings(), unlisted, machine, pool, now)
                                .answer(ofMachines.plan(machine, now)))))
        .or(() ->
            snapshots
                .leftover(name)
                .map(left -> NodeExplanation.withoutHost(left, ofMachines.plan(left, now))));
  }

  /** Explains a Host; empty if there is none of this name. */
  public Optional<HostExplanation> host(String name) {
    return unreadableMachine(name)
        .map(why -> HostExplanation.unreadable(name, why))
        .or(() ->
            snapshots
                .machine(name)
                .map(machine -> HostExplanation.of(ofPools, unlisted, machine, pools(), now)));
  }

  private Stream<PoolSnapshot> pools() {
    return seen.stream()
        .flatMap(each ->
            each instanceof Observation.PoolSeen(var pool)
                ? snapshots.pool(pool.id().name()).stream()
                : Stream.empty());
  }

  /** Why nothing is done to a machine: its Host, or the pool that holds it, cannot be read. */
  private Optional<String> unreadableMachine(String name) {
    return unreadable(name, Observation.HostUnreadable.class)
        .or(() ->
            seen.stream()
                .flatMap(each ->
                    each instanceof Observation.HostSeen(Host host) && host.id().name().equals(name)
                        ? host.assignment().stream()
                        : Stream.empty())
                .flatMap(held ->
                    unreadable(held.pool().name(), Observation.PoolUnreadable.class).stream())
                .findFirst());
  }

  /** Why the operator cannot read an object of this name, and does nothing to it. */
  private Optional<String> unreadable(String name, Class<? extends Observation> kind) {
    return seen.stream()
        .filter(kind::isInstance)
        .flatMap(each ->
            switch (each) {
              case Observation.PoolUnreadable pool when pool.pool().name().equals(name) ->
                  Stream.of("NodePool %s cannot be read: %s".formatted(name, pool.why()));
              case Observation.HostUnreadable host when host.host().name().equals(name) ->
                  Stream.of("Host %s cannot be read: %s".formatted(name, host.why()));
              case Observation.NodeUnreadable node when node.name().equals(name) ->
                  Stream.of("Node %s cannot be read: %s".formatted(name, node.why()));
              default -> Stream.empty();
            })
        .findFirst();
  }
}
