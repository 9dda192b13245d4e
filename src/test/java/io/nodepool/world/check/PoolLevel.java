package io.nodepool.world.check;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * How much of a pool tenants could use by what an operator had observed, counted from Hosts and
 * Nodes and not from the operator's records.
 *
 * @param pool the pool as observed
 * @param held the number of Hosts that it holds
 * @param nodes the number of registered Nodes
 * @param registered the registered Nodes, or the racks that have one
 * @param unavailable the Hosts without a Node that tenants can use, or their racks
 * @param upToDate the Nodes on each configuration that tenants can use, each by its name or its
 *     rack, without those that are preempted: a Node that is about to leave is of no canary
 * @param proven those of them that booted it for something else than their repair, likewise
 */
record PoolLevel(
    Pool pool,
    int held,
    int nodes,
    Set<String> registered,
    Set<String> unavailable,
    Map<String, List<String>> upToDate,
    Map<String, List<String>> proven) {
  public PoolLevel {
    registered = Set.copyOf(registered);
    unavailable = Set.copyOf(unavailable);
    upToDate = Map.copyOf(upToDate);
    proven = Map.copyOf(proven);
  }

  /**
   * Counts a pool.
   *
   * @param hosts the Hosts as observed
   * @param nodes the Nodes as observed, by name
   * @param cordoning names of Nodes whose cordon is written and not answered
   */
  static PoolLevel of(
      Pool pool, Collection<Host> hosts, Map<String, Node> nodes, Set<String> cordoning) {
    int held = 0;
    int count = 0;
    Set<String> registered = new TreeSet<>();
    Set<String> unavailable = new TreeSet<>();
    Map<String, List<String>> upToDate = new TreeMap<>();
    Map<String, List<String>> proven = new TreeMap<>();
    for (Host host : hosts) {
      if (!host.serves(pool.id().uid())) {
        continue;
      }
      held++;
      Optional<Node> joined =
          Optional.ofNullable(nodes.get(host.id().name()))
              .filter(node -> node.isOf(host) && node.registered());
      if (joined.isPresent()) {
        count++;
        registered.add(unit(pool, host));
      }
      if (joined
          .filter(node -> isOfUse(host, node) && !cordoning.contains(node.name()))
          .isPresent()) {
        String configuration = host.report().bootedConfiguration();
        if (host.preemption().isEmpty()) {
          upToDate.computeIfAbsent(configuration, _ -> new ArrayList<>()).add(unit(pool, host));
          if (host.boot().filter(BootRequest::isRepair).isEmpty()) {
            proven.computeIfAbsent(configuration, _ -> new ArrayList<>()).add(unit(pool, host));
          }
        }
      } else {
        unavailable.add(unit(pool, host));
      }
    }
    return new PoolLevel(pool, held, count, registered, unavailable, upToDate, proven);
  }

  private static boolean isOfUse(Host host, Node node) {
    String state = node.metadata().label(NodeLabels.STATE);
    return host.is(HostPhase.RUNNING)
        && host.report().boot().cycle().isEmpty()
        && node.ready()
        && !node.cordoned()
        && !node.deleting()
        && (state.isEmpty() || state.equals("production"));
  }

  private static String unit(Pool pool, Host host) {
    return isInRacks(pool) ? host.machine().rack() : host.id().name();
  }

  private static boolean isInRacks(Pool pool) {
    return pool.spec().size().targetRacks().isPresent();
  }

  /** Whether two Hosts, or their racks, are different ones. */
  public boolean isBeside(Host one, Host other) {
    return !unit(pool, one).equals(unit(pool, other));
  }

  /** The settings of rollouts in the pool's spec. */
  public RolloutSettings settings() {
    return pool.spec().configuration().rollout();
  }

  /** How many Nodes, or racks, may be unavailable. */
  public int most() {
    return settings().maxUnavailable().of(registered.size());
  }

  /** Whether its Nodes are no racks. */
  public boolean isAllocatedSingly() {
    return !isInRacks(pool);
  }

  /** Whether tenants could not use this Host, or one of its rack. */
  public boolean isUnavailable(Host host) {
    return unavailable.contains(unit(pool, host));
  }

  /**
   * How many of the Nodes that the pool had have no Host.
   *
   * @param reached the most Nodes that it had of its target
   */
  public int missing(int reached) {
    return isInRacks(pool) ? 0 : Math.max(0, Math.min(reached, pool.spec().target()) - held);
  }

  /** How many are unavailable beside this Host or its rack. */
  public int unavailableBeside(Host host) {
    return (int) unavailable.stream().filter(each -> !each.equals(unit(pool, host))).count();
  }

  /** The number of Nodes that a canary has at present, also one of racks. */
  public int canary() {
    return Math.min(settings().canary(), nodes);
  }

  /** Whether most Nodes that tenants can use are on this configuration. */
  public boolean isOfMost(String configuration) {
    return 2 * upToDate(configuration) > upToDate.values().stream().mapToInt(List::size).sum();
  }

  /** How many Nodes on this configuration tenants can use. */
  public int upToDate(String configuration) {
    return upToDate.getOrDefault(configuration, List.of()).size();
  }

  /** How many that count for a canary are beside this Host or its rack. */
  public long provenBeside(String configuration, Host host) {
    return proven.getOrDefault(configuration, List.of()).stream()
        .filter(each -> !each.equals(unit(pool, host)))
        .count();
  }
}
