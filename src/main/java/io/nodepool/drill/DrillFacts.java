package io.nodepool.drill;

import io.nodepool.drill.workload.WorkloadFigures;
import io.nodepool.drill.workload.WorkloadRunner;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.whatif.Happenings;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The present values of a drill's expressions. */
final class DrillFacts {
  private final World world;
  private final WorkloadRunner workloads;
  private final Timeline timeline;

  /** Machines that another pool could get now. */
  private final Set<String> free = new HashSet<>();

  /** The fewest free machines since all pools were at their targets; empty before that. */
  private OptionalInt fewestFree = OptionalInt.empty();

  DrillFacts(World world, WorkloadRunner workloads, Timeline timeline) {
    this.world = world;
    this.workloads = workloads;
    this.timeline = timeline;
    world.cluster().hosts().values().forEach(this::follow);
    world.cluster().watch(this::see, WorldCluster.Kind.HOSTS, WorldCluster.Kind.POOLS);
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.HostSeen(Host host)) {
      follow(host);
      if (fewestFree.isPresent()) {
        fewestFree = OptionalInt.of(Math.min(fewestFree.getAsInt(), free.size()));
      }
    } else if (fewestFree.isEmpty()
        && world.cluster().pools().values().stream().allMatch(Happenings::isAtTarget)) {
      fewestFree = OptionalInt.of(free.size());
    }
  }

  private void follow(Host host) {
    if (isFree(host)) {
      free.add(host.id().name());
    } else {
      free.remove(host.id().name());
    }
  }

  private static boolean isFree(Host host) {
    return host.isFree() && !host.deliveries().isSetAside();
  }

  Map<String, Object> now() {
    return Map.of(
        "pools", pools(),
        "workloads", ofWorkloads(),
        "machines", machines(),
        "totals", timeline.totals(),
        "hours", Duration.between(World.START, world.instant()).toMillis() / 3_600_000.0);
  }

  private Map<String, Object> pools() {
    Map<String, Map<String, Object>> byUid = new HashMap<>();
    Map<String, Object> pools = new TreeMap<>();
    for (Pool pool : world.cluster().pools().values()) {
      Map<String, Object> facts = new LinkedHashMap<>();
      facts.put("target", (long) pool.spec().target());
      facts.put("nodes", 0L);
      facts.put("ready", 0L);
      facts.put("busy", 0L);
      facts.put("cordoned", 0L);
      facts.put("queued", (long) pool.status().counts().queued());
      Map<String, Object> conditions = new TreeMap<>();
      pool.status()
          .conditions()
          .forEach((type, each) -> conditions.put(type.type(), each.reason().word()));
      facts.put("conditions", conditions);
      pools.put(pool.id().name(), facts);
      byUid.put(pool.id().uid(), facts);
    }
    for (Node node : world.cluster().nodes().values()) {
      Map<String, Object> facts = byUid.get(node.poolUid());
      if (facts != null) {
        add(facts, "nodes", true);
        add(facts, "ready", node.ready());
        add(facts, "busy", world.cluster().workloads().isBusy(node.name()));
        add(facts, "cordoned", node.cordoned());
      }
    }
    return pools;
  }

  private static void add(Map<String, Object> facts, String key, boolean is) {
    if (is) {
      facts.computeIfPresent(key, (_, count) -> (long) count + 1);
    }
  }

  private Map<String, Object> ofWorkloads() {
    Map<String, Object> all = new TreeMap<>();
    workloads.figures().forEach((name, each) -> all.put(name, facts(each)));
    return all;
  }

  private static Map<String, Object> facts(WorkloadFigures figures) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("wanted", (long) figures.wanted());
    facts.put("running", (long) figures.running());
    facts.put("pending", (long) figures.pending());
    facts.put("completed", (long) figures.completed());
    facts.put("ended", (long) figures.ended());
    facts.put("lostSeconds", figures.lost().toSeconds());
    facts.put("waitedSeconds", figures.waited().toSeconds());
    facts.put("share", figures.share());
    return facts;
  }

  /** How many machines are in which state. */
  Map<String, Object> machines() {
    Collection<Host> hosts = world.cluster().hosts().values();
    Map<String, Object> machines = new LinkedHashMap<>();
    machines.put("all", (long) hosts.size());
    machines.put("free", (long) free.size());
    machines.put("fewestFree", (long) fewestFree.orElse(free.size()));
    machines.put("setAside", count(hosts, host -> host.deliveries().isSetAside()));
    machines.put("failed", count(hosts, host -> host.report().phase() == HostPhase.FAILED));
    machines.put(
        "powerCycles",
        world.cluster().powerCycles().values().stream().mapToLong(Integer::longValue).sum());
    return machines;
  }

  private static long count(Collection<Host> hosts, Predicate<Host> which) {
    return hosts.stream().filter(which).count();
  }
}
