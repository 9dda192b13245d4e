package io.nodepool.whatif;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.whatif.Happening.What;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldPods;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Notes the changes of objects in a world from now on. */
public final class Happenings {
  private final World world;
  private final Map<String, Node> nodes;
  private final Map<String, Host> hosts;
  private final Map<String, Pod> pods;

  /** UIDs of Pods that ended and may still exist in the API server. */
  private final Set<String> ended = new HashSet<>();

  private final Map<String, Boolean> atTarget = new HashMap<>();
  private final Consumer<Happening> notes;

  /** Reports each happening in a world to {@code notes} from now on. */
  public Happenings(World world, Consumer<Happening> notes) {
    this.world = world;
    this.notes = notes;
    this.nodes = new HashMap<>(world.cluster().nodes());
    this.hosts = new HashMap<>(world.cluster().hosts());
    this.pods = new HashMap<>(world.cluster().pods());
    world
        .cluster()
        .pools()
        .values()
        .forEach(pool -> atTarget.put(pool.id().name(), isAtTarget(pool)));
    world
        .cluster()
        .watch(
            this::see,
            WorldCluster.Kind.POOLS,
            WorldCluster.Kind.HOSTS,
            WorldCluster.Kind.NODES,
            WorldCluster.Kind.PODS);
  }

  private void see(Observation seen) {
    switch (seen) {
      case Observation.NodeSeen(Node node) ->
          node(Optional.ofNullable(nodes.put(node.name(), node)), node);
      case Observation.NodeGone(String name, String _, long _) -> {
        Node gone = nodes.remove(name);
        note(What.REMOVED, name, gone == null ? "" : cause(gone));
      }
      case Observation.HostSeen(Host host) -> {
        Host before = hosts.put(host.id().name(), host);
        if (before != null) {
          host(before, host);
        }
      }
      case Observation.PodSeen(Pod pod) -> {
        if (!ended.contains(pod.uid())) {
          pods.put(pod.uid(), pod);
        }
      }
      case Observation.PodGone(String _, String uid, long _) ->
          Optional.ofNullable(pods.get(uid)).ifPresent(this::ends);
      case Observation.PoolSeen(Pool pool) -> pool(pool);
      default -> {
        // Other objects have no happenings.
      }
    }
  }

  private void ends(Pod pod) {
    pods.remove(pod.uid());
    ended.add(pod.uid());
    if (!WorldPods.isOfNode(pod)) {
      note(What.WORK_ENDS, pod.namespace() + "/" + pod.name(), pod.nodeName());
    }
  }

  private void node(Optional<Node> before, Node node) {
    String name = node.name();
    if (before.isEmpty()) {
      note(What.JOINED, name, pool(node));
      return;
    }
    Node last = before.get();
    if (last.cordoned() != node.cordoned()) {
      note(
          node.cordoned() ? What.CORDONED : What.UNCORDONED,
          name,
          cause(node.cordoned() ? node : last));
    }
    if (last.ready() != node.ready()) {
      note(node.ready() ? What.READY : What.NOT_READY, name, "");
    }
  }

  private void host(Host last, Host host) {
    String name = host.id().name();
    if (host.tenancy() != last.tenancy() && host.assignment().isPresent()) {
      note(What.ASSIGNED, name, host.assignment().get().pool().name());
    }
    if (last.isBooting() && host.assignment().isEmpty()) {
      note(What.CANCELLED, name, last.assignment().orElseThrow().pool().name());
    }
    boolean leaves = host.report().boot().cycle().isPresent();
    if (leaves && last.report().boot().cycle().isEmpty()) {
      Node node = nodes.get(name);
      note(What.BOOTS, name, node == null ? "" : cause(node));
    }
    if (!last.report().bootId().isEmpty()
        && !host.report().bootId().isEmpty()
        && !last.report().bootId().equals(host.report().bootId())) {
      note(What.BOOTED, name, host.report().bootedConfiguration());
    }
    if (host.is(HostPhase.STOPPED) && !last.is(HostPhase.STOPPED)) {
      note(What.STOPPED, name, "");
      // Its Pods have ended, even if the API server still has them.
      pods.values().stream()
          .filter(pod -> pod.nodeName().equals(name))
          .toList()
          .forEach(this::ends);
    }
    if (host.deliveries().isSetAside() && !last.deliveries().isSetAside()) {
      note(What.SET_ASIDE, name, host.deliveries().setAside());
    }
  }

  private void pool(Pool pool) {
    boolean is = isAtTarget(pool);
    if (!Boolean.valueOf(is).equals(atTarget.put(pool.id().name(), is))) {
      note(What.AT_TARGET, pool.id().name(), is ? "yes" : "no");
    }
  }

  /** Whether the pool reports that it is at its target. */
  public static boolean isAtTarget(Pool pool) {
    return pool.status()
        .condition(PoolCondition.AT_TARGET)
        .filter(each -> each.reason().status() == PoolCondition.AT_TARGET.healthy())
        .isPresent();
  }

  private String pool(Node node) {
    return world.cluster().poolOf(node).map(each -> each.id().name()).orElse("");
  }

  private static String cause(Node node) {
    return node.activeDisruption().map(Disruption.Active::text).orElse("");
  }

  private void note(What what, String name, String why) {
    notes.accept(new Happening(world.instant(), what, name, why));
  }
}
