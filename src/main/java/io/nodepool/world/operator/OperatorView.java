package io.nodepool.world.operator;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodePurpose;
import io.nodepool.world.cluster.WorldCluster;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What one operator has observed: invariants judge its decisions by that, not by the present state
 * of the cluster.
 */
public final class OperatorView {
  /**
   * What was observed of an object when a write on it was requested.
   *
   * @param unreadable whether it, its Host or its pool could not be read
   * @param running whether the machine ran
   * @param node the UID of the machine's Node, or the empty string if none was observed
   * @param level how much of its pool tenants could use, if the write cordons a Node
   * @param host the Host, if it was observed
   */
  public record View(
      boolean unreadable,
      boolean running,
      String node,
      Optional<PoolLevel> level,
      Optional<Host> host) {
    /** The view of an operator that has observed nothing. */
    public static final View NONE = new View(false, false, "");

    private View(boolean unreadable, boolean running, String node) {
      this(unreadable, running, node, Optional.empty(), Optional.empty());
    }

    private View withLevel(Optional<PoolLevel> next) {
      return new View(unreadable, running, node, next, host);
    }
  }

  private final WorldCluster cluster;
  private final Map<String, Pool> pools = new HashMap<>();

  /** Hosts as last observed, by their UID. */
  private final Map<String, Host> hosts = new HashMap<>();

  private long changes;

  /** UIDs of objects that could not be read when last observed. */
  private final Set<String> unreadable = new HashSet<>();

  /** Nodes as last observed, by their UID. */
  private final Map<String, Node> nodes = new HashMap<>();

  /** The last live list of each Node's Pods, by the Node's UID. */
  private final Map<String, Listing> listings = new HashMap<>();

  /** The version of the cluster at the last live list of each pool's objects, by the pool's UID. */
  private final Map<String, Long> confirmations = new HashMap<>();

  /**
   * A live list of a Node's Pods.
   *
   * @param nodeVersion the version of the Node that it was requested for
   * @param at the version of the whole cluster when it was made
   */
  public record Listing(long nodeVersion, long at) {}

  /** The view of an operator that has observed nothing. */
  public OperatorView(WorldCluster cluster) {
    this.cluster = cluster;
  }

  /** Records an observation that the operator receives. */
  public void note(Observation seen) {
    changes++;
    switch (seen) {
      case Observation.PoolSeen(var pool) -> {
        pools.merge(
            pool.id().uid(), pool, (last, next) -> last.version() < next.version() ? next : last);
        unreadable.remove(pool.id().uid());
      }
      case Observation.PoolGone(var pool, long _) -> {
        pools.remove(pool.uid());
        unreadable.remove(pool.uid());
      }
      case Observation.PoolUnreadable(var pool, long _, String _) -> unreadable.add(pool.uid());
      case Observation.HostSeen(var host) -> {
        hosts.merge(
            host.id().uid(), host, (last, next) -> last.version() < next.version() ? next : last);
        unreadable.remove(host.id().uid());
      }
      case Observation.HostGone(var host, long _) -> {
        hosts.remove(host.uid());
        unreadable.remove(host.uid());
      }
      case Observation.HostUnreadable(var host, long _, String _, String _) ->
          unreadable.add(host.uid());
      case Observation.NodeSeen(var node) -> {
        unreadable.remove(node.uid());
        nodes.merge(
            node.uid(), node, (last, next) -> last.version() < next.version() ? next : last);
      }
      case Observation.NodeGone(String _, String uid, long _) -> {
        unreadable.remove(uid);
        nodes.remove(uid);
      }
      case Observation.NodeUnreadable(String _, String uid, long _, String _) ->
          unreadable.add(uid);
      case Observation.OfHealth _,
          Observation.PoolFoundEmpty _,
          Observation.PodSeen _,
          Observation.PodGone _,
          Observation.PodsListed _,
          Observation.MachineRead _,
          Observation.RequestTimed _,
          Observation.JobSeen _,
          Observation.Announced _,
          Observation.NamespaceAuthored _,
          Observation.EvictionTried _,
          Observation.NamespaceSeen _,
          Observation.NamespaceGone _,
          Observation.OfferSeen _,
          Observation.ApiServerSeen _,
          Observation.HostsDefined _,
          Observation.OfferLost _ -> {}
    }
  }

  /** Records a live list of a Node's Pods for this operator. */
  public void listed(Action.ListPods list) {
    listings.put(list.nodeUid(), new Listing(list.nodeVersion(), cluster.version()));
  }

  /** Records a live list of a pool's objects for this operator. */
  public void confirmed(PoolId pool) {
    confirmations.put(pool.uid(), cluster.version());
  }

  /** The version of the cluster at the last such list, if there was one. */
  public Optional<Long> confirmedAt(PoolId pool) {
    return Optional.ofNullable(confirmations.get(pool.uid()));
  }

  /** The last live list of the Pods of the Node with this UID. */
  public Optional<Listing> listing(String nodeUid) {
    return Optional.ofNullable(listings.get(nodeUid));
  }

  /** The number of observations so far. */
  public long changes() {
    return changes;
  }

  /** The pools as last observed. */
  public Collection<Pool> pools() {
    return pools.values();
  }

  /** How much of a pool tenants can use, beside Nodes with these names. */
  public PoolLevel level(Pool pool, Set<String> cordoning) {
    Map<String, Node> byName = new HashMap<>();
    nodes.values().forEach(node -> byName.put(node.name(), node));
    return PoolLevel.of(pool, hosts.values(), byName, cordoning);
  }

  /**
   * What was observed of the object of a write.
   *
   * @param cordoning names of Nodes whose cordon is written and not answered
   */
  public View of(Action action, Set<String> cordoning) {
    View view = of(action.subject());
    return action instanceof Action.WriteNode write && write.isFor(NodePurpose.ADMIT)
        ? view.withLevel(
            Optional.ofNullable(nodes.get(write.nodeUid()))
                .flatMap(node -> Optional.ofNullable(pools.get(node.poolUid())))
                .map(pool -> level(pool, cordoning)))
        : view;
  }

  private View of(Action.Subject subject) {
    return switch (subject) {
      case Action.Subject.OfHost(var host) -> ofMachine(host.name());
      case Action.Subject.OfNode(String name, String uid) ->
          cluster.hosts().containsKey(name)
              ? ofMachine(name)
              : new View(unreadable.contains(uid), false, "");
      case Action.Subject.OfPod(String _, String _, String _, String node) -> ofMachine(node);
      case Action.Subject.OfPool(var pool) -> new View(unreadable.contains(pool.uid()), false, "");
      case Action.Subject.OfNamespace _ -> View.NONE;
    };
  }

  /** Whether it has observed a pool with this status. */
  public boolean isPublished(Action.PublishStatus publish) {
    return Optional.ofNullable(pools.get(publish.pool().uid()))
        .filter(pool -> pool.status().equals(publish.status()))
        .isPresent();
  }

  private View ofMachine(String name) {
    Host host = cluster.hosts().get(name);
    String node = cluster.node(name).map(Node::uid).orElse("");
    if (host == null) {
      return new View(false, false, nodes.containsKey(node) ? node : "");
    }
    String pool = host.assignment().map(held -> held.pool().uid()).orElse("");
    Optional<Host> seen = Optional.ofNullable(hosts.get(host.id().uid()));
    return new View(
        Stream.of(host.id().uid(), pool, node).anyMatch(unreadable::contains),
        seen.filter(each -> each.is(HostPhase.RUNNING)).isPresent(),
        nodes.containsKey(node) ? node : "",
        Optional.empty(),
        seen);
  }
}
