package io.nodepool.world;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.health.Signal;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.health.HealthReport;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.HostlessNodes;
import io.nodepool.world.check.truth.NodeStates;
import io.nodepool.world.cluster.WorldCluster;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checks that a cluster at rest matches the status of its pools, and that nothing is stuck. */
final class Steady {
  private final WorldCluster cluster;

  private Steady(WorldCluster cluster) {
    this.cluster = cluster;
  }

  /** Returns the first violation, if there is one. */
  static Optional<String> complaint(WorldCluster cluster) {
    Steady steady = new Steady(cluster);
    return Stream.of(
            cluster.hosts().values().stream().flatMap(host -> steady.host(host).stream()),
            cluster.nodes().values().stream().flatMap(node -> steady.node(node).stream()),
            cluster.nodes().values().stream().flatMap(node -> steady.alerts(node).stream()),
            cluster.pools().values().stream().flatMap(pool -> steady.pool(pool).stream()))
        .flatMap(complaints -> complaints)
        .findFirst();
  }

  /** An assigned Host runs, and its Node is registered: no machine is held forever without use. */
  private Optional<String> host(Host host) {
    if (host.assignment().isEmpty()) {
      return Optional.empty();
    }
    boolean serves =
        host.is(HostPhase.RUNNING)
            && host.power() == Host.Power.ON
            && Optional.ofNullable(cluster.nodes().get(host.id().name()))
                .filter(node -> node.isOf(host) && node.registered())
                .isPresent();
    return serves ? Optional.empty() : Optional.of("Host %s is held without use".formatted(host));
  }

  /**
   * At rest a Node shows the alerts that its monitors report, whatever happened before: what began
   * before a boot and still stands is new after it.
   */
  private Optional<String> alerts(Node node) {
    Map<String, NodeStatus.Entry> published = node.alerts().published();
    Set<String> reported =
        Stream.concat(
                cluster.signals().about(node.name()).stream(),
                Optional.ofNullable(cluster.hosts().get(node.name())).stream()
                    .flatMap(host -> host.report().signals().stream()))
            .filter(Signal::stands)
            .map(signal -> AlertCatalogue.shipped().alert(signal.name()))
            .filter(Alert::isKnown)
            .distinct()
            .sorted(Comparator.comparing(Alert::grade).reversed().thenComparing(Alert::name))
            .limit(HealthReport.MOST)
            .map(Alert::name)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> shown =
        published.entrySet().stream()
            .filter(each -> !each.getValue().message().contains("reported by operator"))
            .map(Map.Entry::getKey)
            .collect(Collectors.toCollection(TreeSet::new));
    if (!node.registered()) {
      return Optional.empty();
    }
    if (!shown.equals(reported)) {
      return Optional.of("Node %s shows %s; reported: %s".formatted(node.name(), shown, reported));
    }
    return reported.stream()
        .filter(name -> hasCause(name, node) && !isShownAsSymptom(published.get(name)))
        .findFirst()
        .map(name -> "Node %s does not show that %s is a symptom".formatted(node.name(), name));
  }

  /** Whether a monitor reports the cause of an alert about the same machine. */
  private boolean hasCause(String alert, Node node) {
    return cluster.signals().about(node.name()).stream()
        .filter(Signal::stands)
        .anyMatch(each -> AlertCatalogue.shipped().alert(alert).symptomOf().contains(each.name()));
  }

  private static boolean isShownAsSymptom(NodeStatus.@Nullable Entry condition) {
    return condition != null && condition.message().contains(", a symptom of ");
  }

  /** No removal is stuck, and a Node's CWActive condition is correct. */
  private Optional<String> node(Node node) {
    return node.disruption()
        .filter(Disruption::isActive)
        .map(removal -> "Node %s is stuck at %s".formatted(node.name(), removal))
        .or(() -> lifecycle(node))
        .or(() -> activity(node));
  }

  /**
   * The state of a Node agrees with what follows from it, a request with its condition, and no
   * reason of a cordon is left over, unless another client removed the record that names it.
   */
  private Optional<String> lifecycle(Node node) {
    NodeMetadata metadata = node.metadata();
    Node.Lifecycle lifecycle = node.status().lifecycle();
    String state = metadata.label(NodeLabels.STATE);
    Optional<Taint> reserved = Reservation.taint(state, metadata.label(NodeLabels.RESERVED));
    String requested = metadata.label(NodeLabels.PENDING_STATE);
    boolean agrees =
        state.equals(lifecycle.phase())
            && state.equals(Reservation.PRODUCTION)
            && reserved.stream().allMatch(metadata.taints()::contains)
            && (!lifecycle.rebooting() || hangs(node))
            && lifecycle.pending().map(NodeStatus.Entry::reason).orElse("").equals(requested)
            && lifecycle.pending().filter(each -> each.entries() > 1).isEmpty()
            && (cluster.nodeClients().hasStripped(node)
                || !metadata.annotations().containsKey(NodeAnnotations.CORDON_REASON.key()));
    return agrees
        ? Optional.empty()
        : Optional.of(
            "Node %s is in state %s with %s, %s and %s"
                .formatted(node.name(), state, metadata.labels(), metadata.taints(), lifecycle));
  }

  /**
   * Whether the machine does not come back from a reboot whose record another client removed: with
   * that it ended, and nobody tries again (decision D146).
   */
  private boolean hangs(Node node) {
    return cluster.nodeClients().hasStripped(node)
        && Optional.ofNullable(cluster.hosts().get(node.name()))
            .filter(host -> host.report().boot().cycle().isPresent())
            .isPresent();
  }

  private Optional<String> activity(Node node) {
    List<Pod> pods =
        cluster.pods().values().stream()
            .filter(pod -> pod.nodeName().equals(node.name()) && pod.deletedAt().isEmpty())
            .toList();
    boolean works =
        pods.stream()
            .anyMatch(pod ->
                pod.namespace().equals("default")
                    && pod.owner().kind().equals("ReplicaSet")
                    && pod.interruption() == Pod.Interruption.NONE);
    boolean rests = pods.isEmpty() && !node.locked();
    return node.activity()
        .map(Node.Activity::active)
        .filter(active -> active ? rests : works)
        .map(active ->
            "Node %s reports that it is %s".formatted(node.name(), active ? "active" : "idle"));
  }

  private Optional<String> pool(Pool pool) {
    List<Node> nodes =
        cluster.nodes().values().stream()
            .filter(node -> node.poolUid().equals(pool.id().uid()) && node.registered())
            .filter(node -> !new HostlessNodes(cluster).isKept(node))
            .toList();
    int current = pool.status().currentNodes();
    int target = pool.isTerminating() ? 0 : pool.spec().target();
    if (current != nodes.size()) {
      return Optional.of(
          "%s counts %d Nodes, and %d are registered".formatted(pool.id(), current, nodes.size()));
    }
    if (!pool.isTerminating()
        && is(pool, PoolCondition.AT_TARGET, AtTargetReason.TARGET_MET) != (current == target)) {
      return Optional.of(
          "%s has %d of %d and reports otherwise".formatted(pool.id(), current, target));
    }
    Optional<String> states = NodeStates.complaint(cluster, pool);
    if (states.isPresent()) {
      return states;
    }
    boolean mayGrow =
        !pool.isTerminating()
            && is(pool, PoolCondition.QUOTA, QuotaReason.UNDER)
            && is(pool, PoolCondition.VALIDATED, ValidatedReason.VALID)
            && pool.status().configuration().active().stream()
                .noneMatch(active -> active.boots().disabled());
    return mayGrow && current < target && isAnyFree(pool)
        ? Optional.of("%s has %d of %d, and Hosts are free".formatted(pool.id(), current, target))
        : Optional.empty();
  }

  /** A pool of spot instances grows only by what its fleet offers as spot. */
  private boolean isAnyFree(Pool pool) {
    return cluster.hosts().values().stream()
        .filter(Host::isFree)
        .filter(host -> !pool.spec().isSpot() || host.report().spot().offered())
        .anyMatch(host -> host.machine().instanceType().equals(pool.spec().instanceType()));
  }

  private static boolean is(Pool pool, PoolCondition type, PoolReason reason) {
    return pool.status()
        .condition(type)
        .filter(condition -> condition.reason() == reason)
        .isPresent();
  }
}
