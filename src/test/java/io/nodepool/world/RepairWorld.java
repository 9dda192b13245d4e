package io.nodepool.world;

import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.repair.RepairState;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.cluster.ApiOutages;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldSignals;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A pool on a rack of 30 machines, alerts that are reported about them, and what became of both.
 */
abstract class RepairWorld {
  static final String OUT_NOW = "GPUFallenOffBus";
  static final String OUT_WHEN_IDLE = "NodeGPUNVLinkDown";
  static final String REBOOT_NOW = "GPUTimeoutError";
  static final String RESET = "DPUUnexpectedPuntedRoutes";

  final Drill drill;
  final WorldCluster cluster;
  final WorldSignals signals;
  final Drill.PoolDrill pool;

  RepairWorld(int seed) {
    this(Drill.with(seed, Drill.racks(Drill.GPU, 1, 30), Faults.NONE, OperatorOverrides.AS_BUILT));
  }

  RepairWorld(Drill drill) {
    this.drill = drill;
    this.cluster = drill.world.cluster();
    this.signals = cluster.signals();
    this.pool = drill.pool("a");
  }

  final List<Node> grown(int size) {
    pool.target(size).toRest();
    return pool.nodes();
  }

  final Node grown() {
    return grown(1).getFirst();
  }

  final Pod work(Node node) {
    Pod pod = cluster.bindPod("default", "train-" + node.name(), node.name(), "ReplicaSet");
    drill.advance(10, SECONDS);
    return pod;
  }

  final void report(Node node, String alert) {
    signals.report(node.name(), Signal.standing(key(alert), drill.world.instant()));
  }

  /** The API server forbids these requests about Hosts for a while. */
  final void forbid(Class<? extends HostOperation> requests, Duration lasts) {
    drill
        .world
        .apiOutages()
        .refuse(
            action ->
                action instanceof Action.OnHost(HostOperation operation)
                    && requests.isInstance(operation),
            ApiOutages.Refusal.FORBIDDEN,
            lasts);
  }

  static SignalKey key(String alert) {
    return new SignalKey("dcgm", "host", alert);
  }

  final Optional<Node> now(Node node) {
    return Optional.ofNullable(cluster.nodes().get(node.name()))
        .filter(each -> each.uid().equals(node.uid()));
  }

  final Node present(Node node) {
    return now(node).orElseThrow();
  }

  final Host host(Node node) {
    return Optional.ofNullable(cluster.hosts().get(node.name())).orElseThrow();
  }

  final int powerCycles(Node node) {
    return cluster.powerCycles().getOrDefault(node.name(), 0);
  }

  final boolean lives(Pod pod) {
    return Optional.ofNullable(cluster.pods().get(pod.uid()))
        .filter(each -> each.deletedAt().isEmpty())
        .isPresent();
  }

  /** What was said of that repairs are held. */
  final List<String> toldHeld() {
    return drill
        .events(EventReason.REPAIRS_HELD)
        .map(WorldCluster.EventRecord::eventDraft)
        .map(EventDraft::message)
        .toList();
  }

  final RepairState repairs() {
    return pool.seen().status().repairs();
  }

  /** The alerts that are suspected, each with what verifications show. */
  final List<String> suspects() {
    return repairs().suspects().stream()
        .map(each -> each.alert() + " " + each.verdict().word())
        .toList();
  }
}
