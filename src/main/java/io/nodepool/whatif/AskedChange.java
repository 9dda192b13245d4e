package io.nodepool.whatif;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldPods;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/** Makes the change of a question in a world, as its client or machine would. */
public final class AskedChange {
  /** The source of the question's alert. */
  private static final String SOURCE = "what-if";

  /** How often a client tries to evict a Pod that a budget protects. */
  private static final Duration RETRY = Duration.ofSeconds(5);

  private final World world;
  private final WorldCluster cluster;

  /** UIDs of Pods that must still be evicted. */
  private final Set<String> evicting = new LinkedHashSet<>();

  /** Makes changes in this world. */
  public AskedChange(World world) {
    this.world = world;
    this.cluster = world.cluster();
  }

  /** Makes the change now. */
  public void ask(Question question) {
    switch (question) {
      case Question.Scale(String pool, int size) ->
          cluster.editPool(pool, spec -> sized(spec, size));
      case Question.Upgrade(String pool) ->
          command(
              pool,
              new ConfigurationCommands.Asked(
                  Optional.of(PoolAnnotations.TRUE), Optional.empty(), Optional.empty()));
      case Question.RolloutStart(String pool, RolloutSettings settings) -> {
        cluster.editPool(
            pool, spec -> spec.withConfiguration(spec.configuration().withRollout(settings)));
        command(
            pool,
            new ConfigurationCommands.Asked(
                Optional.empty(), Optional.empty(), Optional.of(PoolAnnotations.START)));
      }
      case Question.Cordon(List<String> nodes) -> nodes.forEach(this::cordon);
      case Question.DrainOfNodes(List<String> nodes) -> {
        nodes.forEach(this::cordon);
        evict(nodes);
      }
      case Question.Reboot(List<String> nodes, LifecycleState state, boolean immediate) ->
          nodes.forEach(node -> reboot(node, state, immediate));
      case Question.Lost(List<String> hosts, Duration lasts) ->
          hosts.forEach(host -> world.actors().trip(host, lasts));
      case Question.OtherQuota(String type, int nodes) -> quota(type, nodes);
      case Question.Preempt(List<String> hosts) ->
          hosts.forEach(host ->
              cluster
                  .fleetOwner()
                  .reclaim(host, DataCentre.Timings.RECLAIM_WINDOW, world.instant()));
      case Question.TrueAlert(String host, String alert) -> {
        cluster.signals().beat(SOURCE);
        cluster
            .signals()
            .report(
                host,
                Signal.standing(new SignalKey(SOURCE, SignalKey.HOST, alert), world.instant()));
      }
      case Question.Apply(List<Question.Wanted> pools) -> pools.forEach(this::apply);
    }
  }

  /** The spec with another size, in its unit. */
  public static PoolSpec sized(PoolSpec spec, int size) {
    return spec.withSize(
        spec.size().targetRacks().isPresent()
            ? spec.size().withTargetRacks(OptionalInt.of(size))
            : spec.size().withTargetNodes(OptionalInt.of(size)));
  }

  private void command(String pool, ConfigurationCommands.Asked asked) {
    cluster.editPool(
        pool,
        spec ->
            spec.withConfiguration(
                spec.configuration()
                    .withCommands(spec.configuration().commands().withAsked(asked))));
  }

  private void cordon(String node) {
    cluster.nodeClients().cordon(node, true);
  }

  /** Evicts the Pods of Nodes; retries Pods that a budget protects when another Pod is gone. */
  private void evict(List<String> nodes) {
    nodes.stream()
        .flatMap(node -> cluster.workloads().boundTo(node).stream())
        .filter(pod -> !WorldPods.isOfNode(pod))
        .map(Pod::uid)
        .forEach(evicting::add);
    tryEvict();
    cluster.watch(
        WorldCluster.Kind.PODS,
        seen -> {
          if (seen instanceof Observation.PodGone && !evicting.isEmpty()) {
            world.later(RETRY, this::tryEvict);
          }
        });
  }

  private void tryEvict() {
    evicting.removeIf(
        uid -> cluster.workloads().evict(uid, Optional.empty(), world.instant()).isEmpty());
  }

  /** Ends the retries of its client. */
  void giveUp() {
    evicting.clear();
  }

  private void reboot(String name, LifecycleState state, boolean immediate) {
    Node node = cluster.node(name).orElseThrow();
    if (immediate) {
      cluster
          .nodeClients()
          .annotation(name, NodeAnnotations.REBOOT_POLICY.key(), Optional.of("Immediate"));
    }
    cluster.nodeClients().appendPending(node.name(), state.word(), world.instant());
    cluster.nodeClients().label(name, NodeLabels.PENDING_STATE.key(), Optional.of(state.word()));
  }

  private void quota(String type, int nodes) {
    FleetOffer offer = cluster.offer();
    TreeMap<String, Integer> quota = new TreeMap<>(offer.quota());
    quota.put(type, nodes);
    cluster.fleetOwner().offer(offer.withQuota(quota));
  }

  private void apply(Question.Wanted wanted) {
    if (cluster.pool(wanted.name()).isPresent()) {
      cluster.editPool(wanted.name(), _ -> wanted.spec());
    } else {
      cluster.createPool(wanted.name(), wanted.spec(), world.instant());
    }
  }
}
