package io.nodepool.drill.script;

import io.nodepool.fleet.Host;
import io.nodepool.world.cluster.WorldCluster;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * The machines of a deed: all conditions must hold.
 *
 * @param names the names; empty for any
 * @param pool the NodePool that holds them; each has a Node
 * @param rack their rack
 * @param leafGroup the group of switches that they are connected to
 * @param count how many of them, chosen at random; empty for all
 */
public record MachineSelection(
    List<String> names,
    Optional<String> pool,
    Optional<String> rack,
    Optional<String> leafGroup,
    State state,
    OptionalInt count) {
  /** Their state. */
  public enum State {
    ANY,
    /** They carry work of tenants. */
    BUSY,
    /** They have a Node and carry no work of tenants. */
    IDLE,
    /** They are set aside. */
    SET_ASIDE
  }

  public MachineSelection {
    names = List.copyOf(names);
  }

  /** The names of the machines, in order. */
  List<String> of(WorldCluster cluster, SplittableRandom random) {
    List<String> all =
        new ArrayList<>(
            cluster.hosts().values().stream()
                .filter(host -> admits(cluster, host))
                .map(host -> host.id().name())
                .toList());
    if (count.isEmpty() || all.size() <= count.getAsInt()) {
      return all;
    }
    Collections.shuffle(all, Random.from(random));
    return all.subList(0, count.getAsInt()).stream().sorted().toList();
  }

  private boolean admits(WorldCluster cluster, Host host) {
    String name = host.id().name();
    boolean joined = cluster.node(name).isPresent();
    return (names.isEmpty() || names.contains(name))
        && pool.filter(each -> !(joined && isHeldBy(host, each))).isEmpty()
        && rack.filter(each -> !each.equals(host.machine().rack())).isEmpty()
        && leafGroup
            .filter(each -> !each.equals(host.machine().interconnect().leafgroup().name()))
            .isEmpty()
        && switch (state) {
          case ANY -> true;
          case BUSY -> joined && cluster.workloads().isBusy(name);
          case IDLE -> joined && !cluster.workloads().isBusy(name);
          case SET_ASIDE -> host.deliveries().isSetAside();
        };
  }

  private static boolean isHeldBy(Host host, String pool) {
    return host.assignment().filter(each -> each.pool().name().equals(pool)).isPresent();
  }
}
