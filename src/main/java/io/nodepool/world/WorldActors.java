package io.nodepool.world;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.Pod;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldNodeClients;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Actors of the virtual world other than the operator and the data centre: kubelets that stop
 * answering, controllers that undo changes, clients that repeat requests, machines that fail. Each
 * ends after a while, so that a run can come to rest.
 */
public final class WorldActors {
  /** The node lifecycle controller's grace period for a kubelet that does not answer. */
  private static final Duration SILENCE = Duration.ofSeconds(40);

  /** How long Pods tolerate a Node that does not answer. */
  private static final Duration TOLERATED = Duration.ofMinutes(5);

  /** A duration beyond the end of every run. */
  public static final Duration FOR_GOOD = Duration.ofDays(1_000);

  private final World world;
  private final WorldCluster cluster;

  WorldActors(World world) {
    this.world = world;
    this.cluster = world.cluster();
  }

  /** Gives a Pod a volume, which is detached from its Node this long after the Pod was removed. */
  public void attach(Pod pod, Duration detachesAfter) {
    cluster.nodeClients().volumes(pod.nodeName(), 1);
    Runnable[] stop = new Runnable[1];
    stop[0] =
        cluster.watch(
            WorldCluster.Kind.PODS,
            seen -> {
              if (seen instanceof Observation.PodGone(String node, String uid, long _)
                  && uid.equals(pod.uid())) {
                stop[0].run();
                world.later(detachesAfter, () -> cluster.nodeClients().volumes(node, -1));
              }
            });
  }

  /** Stops a kubelet for a while: its Node becomes not Ready, and its Pods are deleted. */
  public void silence(String name, Duration lasts) {
    String uid = cluster.node(name).map(Node::uid).orElse("");
    cluster.nodeClients().ready(name, false);
    world.later(TOLERATED, () -> evictFromUnreachable(name, uid));
    world.later(
        lasts,
        () ->
            cluster
                .node(name, uid)
                .filter(this::mayAnswer)
                .ifPresent(node -> cluster.nodeClients().ready(name, true)));
  }

  /**
   * Whether a kubelet can answer: only from the machine that it ran on. Some Nodes have no machine
   * of the fleet.
   */
  private boolean mayAnswer(Node node) {
    Host host = cluster.hosts().get(node.name());
    return host == null || (host.is(HostPhase.RUNNING) && node.isOf(host));
  }

  /** Schedules what happens next to Nodes that do not answer or whose machines do not run. */
  void goOnWithSilentNodes() {
    for (Node node : cluster.nodes().values()) {
      Host host = cluster.hosts().get(node.name());
      if (host != null && node.ready() && node.isOf(host) && !host.is(HostPhase.RUNNING)) {
        fallSilent(host);
      }
      node.status()
          .notReadySince()
          .map(since -> Duration.between(world.instant(), since.plus(TOLERATED)))
          .filter(Duration::isPositive)
          .ifPresent(
              after -> world.later(after, () -> evictFromUnreachable(node.name(), node.uid())));
    }
  }

  private void evictFromUnreachable(String name, String uid) {
    if (cluster.node(name, uid).filter(node -> !node.ready()).isPresent()) {
      cluster.workloads().boundTo(name).stream()
          .filter(pod -> pod.deletedAt().isEmpty() && !pod.owner().kind().equals("DaemonSet"))
          .forEach(pod ->
              cluster.workloads().delete(pod.uid(), world.instant(), pod.eviction().grace()));
    }
  }

  /** Repeatedly changes a part of these Nodes that no decision depends on. */
  public void churn(Predicate<Node> which, Duration every, Duration lasts) {
    Instant end = world.instant().plus(lasts);
    repeat(
        every,
        end,
        () ->
            List.copyOf(cluster.nodes().values()).stream()
                .filter(which)
                .forEach(node -> cluster.nodeClients().touch(node.name())));
  }

  private void repeat(Duration every, Instant end, Runnable what) {
    if (world.instant().isBefore(end)) {
      what.run();
      world.later(every, () -> repeat(every, end, what));
    }
  }

  /** Changes of another controller that counteract the operator. */
  public enum Meddling {
    /** It uncordons each Node that the operator cordoned. */
    UNCORDON,
    /** It removes the record of a removal. */
    STRIP_REMOVAL,
    /** It removes metadata that the operator applied from the pool's spec. */
    STRIP_METADATA,
    /** It removes the operator's conditions. */
    STRIP_CONDITIONS
  }

  /** For a while, a controller undoes the operator's changes of Nodes, each after a delay. */
  public void meddle(Meddling what, Duration after, Duration lasts) {
    Instant end = world.instant().plus(lasts);
    Runnable stop =
        cluster.watch(
            WorldCluster.Kind.NODES,
            seen -> {
              if (seen instanceof Observation.NodeSeen(Node node) && isOurs(what, node)) {
                world.later(after, () -> undo(what, node, end));
              }
            });
    world.later(lasts, stop);
  }

  private void undo(Meddling what, Node seen, Instant end) {
    boolean still =
        cluster.node(seen.name(), seen.uid()).filter(node -> isOurs(what, node)).isPresent();
    if (still && !world.instant().isAfter(end)) {
      world.situations().add(Situation.CHANGE_UNDONE);
      WorldNodeClients clients = cluster.nodeClients();
      switch (what) {
        case UNCORDON -> clients.cordon(seen.name(), false);
        case STRIP_REMOVAL -> clients.stripRemoval(seen.name());
        case STRIP_METADATA -> clients.metadata(seen.name(), WorldActors::stripped);
        case STRIP_CONDITIONS -> clients.stripConditions(seen.name());
      }
    }
  }

  private static boolean isOurs(Meddling what, Node node) {
    return switch (what) {
      case UNCORDON -> node.cordoned() && node.isTerminating();
      case STRIP_REMOVAL -> node.isTerminating();
      case STRIP_METADATA ->
          node.metadata().applied().filter(NodeTemplate.EMPTY::equals).isEmpty()
              && node.metadata().applied().isPresent();
      case STRIP_CONDITIONS -> node.registered();
    };
  }

  /** Removes the first label and the first taint of the record, and keeps the record. */
  private static NodeMetadata stripped(NodeMetadata metadata) {
    NodeTemplate applied = metadata.applied().orElse(NodeTemplate.EMPTY);
    TreeMap<String, String> labels = new TreeMap<>(metadata.labels());
    applied.labels().keySet().stream().findFirst().ifPresent(labels::remove);
    List<Taint> gone = applied.taints().stream().limit(1).toList();
    List<Taint> taints =
        metadata.taints().stream().filter(taint -> gone.stream().noneMatch(taint::isSame)).toList();
    return metadata.withLabels(labels).withTaints(taints);
  }

  /** For a while, a client repeatedly binds a Pod by nodeName to each admitted Node. */
  public void bindToAdmitted(Duration every, Duration work, Duration lasts) {
    Instant end = world.instant().plus(lasts);
    repeat(
        every,
        end,
        () -> {
          for (Node node : List.copyOf(cluster.nodes().values())) {
            if (node.disruption().filter(Disruption.Admitted.class::isInstance).isPresent()) {
              Pod pod =
                  cluster.bindPod(
                      "default", "bound-" + cluster.version(), node.name(), "ReplicaSet");
              world.later(work, () -> cluster.deletePod(pod.uid(), world.instant()));
            }
          }
        });
  }

  /**
   * A machine loses power for a while: its fleet reports it as stopped without a request. If it is
   * still assigned afterwards, it runs again.
   */
  public void trip(String host, Duration lasts) {
    world.situations().add(Situation.POWER_TRIP);
    strike(host, HostPhase.STOPPED, lasts);
  }

  /** A machine fails, in whatever phase it is, and is repaired after a while. */
  public void fail(String host, Duration lasts) {
    world.situations().add(Situation.HOST_FAILED);
    strike(host, HostPhase.FAILED, lasts);
  }

  /** A machine's fleet reports by mistake that it is being cleaned. */
  public void clean(String host, Duration lasts) {
    world.situations().add(Situation.CLEANING_UNASKED);
    strike(host, HostPhase.CLEANING, lasts);
  }

  private void strike(String name, HostPhase phase, Duration lasts) {
    Host struck = cluster.hosts().get(name);
    if (struck == null) {
      return;
    }
    HostPhase before = struck.report().phase();
    if (!isSound(struck)) {
      return;
    }
    cluster.fleetOwner().report(name, phase, world.instant());
    if (lasts.compareTo(FOR_GOOD) < 0) {
      world.later(lasts, () -> repair(struck, phase, before));
    }
  }

  /** Whether no earlier fault caused the phase of the Host. */
  private static boolean isSound(Host host) {
    boolean asked = host.assignment().isEmpty() || host.power() == Host.Power.OFF;
    return host.report().tenancy() <= host.tenancy()
        && switch (host.report().phase()) {
          case FREE, BOOTING, RUNNING -> true;
          case STOPPED, CLEANING -> asked;
          case FAILED -> false;
        };
  }

  /** From now on, a Node whose machine does not run becomes not Ready after a while. */
  void watchMachines() {
    cluster.watch(
        WorldCluster.Kind.HOSTS,
        seen -> {
          if (seen instanceof Observation.HostSeen(Host host)
              && host.report().phase() != HostPhase.RUNNING
              && cluster.node(host.id().name()).filter(Node::ready).isPresent()) {
            fallSilent(host);
          }
        });
  }

  /** The Node of a machine that stopped becomes not Ready when it was silent for long enough. */
  private void fallSilent(Host stopped) {
    String name = stopped.id().name();
    String uid = cluster.node(name).map(Node::uid).orElse("");
    Duration left = SILENCE.minus(Duration.between(stopped.report().since(), world.instant()));
    world.later(left.isNegative() ? Duration.ZERO : left, () -> fallSilent(name, uid));
  }

  private void fallSilent(String name, String uid) {
    if (cluster.node(name, uid).filter(Node::ready).isPresent() && !runs(name)) {
      cluster.nodeClients().ready(name, false);
      world.later(TOLERATED, () -> evictFromUnreachable(name, uid));
    }
  }

  private boolean runs(String name) {
    return cluster.host(name).filter(host -> host.is(HostPhase.RUNNING)).isPresent();
  }

  /** Restores the phase of a Host, unless the operator has changed the Host in the meantime. */
  private void repair(Host struck, HostPhase phase, HostPhase before) {
    String name = struck.id().name();
    cluster
        .host(name)
        .filter(host -> host.id().equals(struck.id()) && host.report().phase() == phase)
        .ifPresent(host -> {
          boolean same =
              host.tenancy() == struck.tenancy()
                  && host.assignment().isPresent()
                  && host.power() == Host.Power.ON;
          if (same) {
            cluster.fleetOwner().report(name, before, world.instant());
            cluster
                .node(name)
                .filter(node -> node.isOf(host))
                .ifPresent(node -> cluster.nodeClients().ready(name, true));
          } else if (host.isOff(world.instant())) {
            cluster.fleetOwner().report(name, HostPhase.STOPPED, world.instant());
          } else if (host.assignment().isEmpty() && phase != HostPhase.CLEANING) {
            cluster.fleetOwner().report(name, HostPhase.CLEANING, world.instant());
          }
        });
  }

  /** A fleet reports a phase for a future tenancy, and corrects the report later. */
  public void reportAhead(String name, Duration lasts) {
    cluster
        .host(name)
        .filter(WorldActors::isSound)
        .ifPresent(host -> {
          world.situations().add(Situation.TENANCY_AHEAD);
          Host.Report was = host.report();
          cluster.fleetOwner().report(name, was.phase(), host.tenancy() + 1, world.instant());
          world.later(
              lasts,
              () ->
                  cluster
                      .host(name)
                      .filter(now -> now.id().equals(host.id()))
                      .filter(now -> now.report().tenancy() == host.tenancy() + 1)
                      .filter(now -> now.tenancy() == host.tenancy())
                      .ifPresent(now ->
                          cluster
                              .fleetOwner()
                              .report(name, was.phase(), was.tenancy(), world.instant())));
        });
  }
}
