package io.nodepool.bench.repair;

import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.bench.BenchRun;
import io.nodepool.bench.Measurement;
import io.nodepool.bench.Operated;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.FirstTimes;
import io.nodepool.bench.raw.RawClient;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.Measured;
import io.nodepool.fleet.HostId;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.receiver.SignalPatch;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Measures the repair of one idle Node by a reboot, and then how fast Nodes are cordoned for their
 * alerts: one after the other, and many within four seconds. Their sum is the number that the level
 * of a pool admits, and no alert is on enough Nodes to be suspected.
 */
public record RepairBench() implements Measurement {
  /** The fewest Nodes with which each part has a Node. */
  public static final int FEWEST = 20;

  private static final String REBOOTED = "GPUTimeoutError";

  /** Alerts that cordon at once; the next action begins a minute later. */
  private static final List<String> CORDONED =
      List.of(
          "DPUUnexpectedPuntedRoutes",
          "DPUUnexpectedPuntedRoutesCPX",
          "GPUNVLinkSWDefinedError",
          "NodeGPUNVLinkDown",
          "NodeRepeatUCE");

  private static final Duration BURST = Duration.ofSeconds(4);

  /** How many Nodes of a pool are cordoned one after the other. */
  static int quiet(int nodes) {
    return nodes / 20;
  }

  /** How many Nodes are cordoned within the four seconds after that. */
  static int burst(int nodes) {
    return nodes / 5 - quiet(nodes);
  }

  @Override
  public BenchReport measure(BenchRun run) {
    return run.operated(run.nodes(), this::measure);
  }

  private BenchReport measure(Operated on) {
    on.grow(on.run().nodes(), false);
    BenchCluster cluster = on.run().cluster();
    List<HostId> hosts =
        cluster.hosts().stream()
            .map(host -> new HostId(host.getMetadata().getName(), host.getMetadata().getUid()))
            .sorted(Comparator.comparing(HostId::name))
            .toList();
    ApiRequests api = cluster.api();
    FirstTimes cordoned = new FirstTimes();
    FirstTimes returned = new FirstTimes();
    try (KindWatch<Node> _ = cluster.watchNodes(node -> see(node, cordoned, returned))) {
      on.rest();
      on.run().progress("Repairing one Node by a reboot ...");
      HostId repaired = hosts.getFirst();
      Operated.Period repair = on.begin(() -> report(api, repaired, REBOOTED));
      repair.await("the Node is back", () -> returned.at(repaired.name()));
      Measured measured = repair.end();

      int quiet = quiet(hosts.size());
      on.run().progress("Reporting alerts about %,d Nodes one by one ...".formatted(quiet));
      Map<String, Long> single = new HashMap<>();
      for (int node = 1; node <= quiet; node++) {
        String name = hosts.get(node).name();
        report(api, hosts.get(node), alert(node));
        single.put(name, System.nanoTime());
        on.await("Node " + name + " is cordoned", () -> cordoned.hasAll(Set.of(name)));
      }

      int burst = burst(hosts.size());
      on.run().progress("Reporting alerts about %,d Nodes within 4 s ...".formatted(burst));
      Map<String, Long> many =
          burst(on, api, cordoned, hosts.subList(quiet + 1, quiet + 1 + burst));
      return new RepairFigures(hosts.size(), measured, cordoned.since(single), cordoned.since(many))
          .report();
    }
  }

  /** Observes the cordon of a Node, and later its end. */
  private static void see(Node node, FirstTimes cordoned, FirstTimes returned) {
    String name = node.getMetadata().getName();
    if (Boolean.TRUE.equals(node.getSpec().getUnschedulable())) {
      cordoned.see(name);
    } else if (cordoned.at(name).isPresent()) {
      returned.see(name);
    }
  }

  private static String alert(int number) {
    return CORDONED.get(number % CORDONED.size());
  }

  /** Reports alerts about these machines within four seconds; returns when each was reported. */
  private static Map<String, Long> burst(
      Operated on, ApiRequests api, FirstTimes cordoned, List<HostId> hosts) {
    Map<String, Long> reported = new ConcurrentHashMap<>();
    try (ScheduledExecutorService threads = Executors.newScheduledThreadPool(4)) {
      for (int node = 0; node < hosts.size(); node++) {
        HostId host = hosts.get(node);
        String alert = alert(node);
        var _ =
            threads.schedule(
                () -> {
                  report(api, host, alert);
                  reported.put(host.name(), System.nanoTime());
                },
                BURST.toMillis() * node / hosts.size(),
                TimeUnit.MILLISECONDS);
      }
      on.await(
          "all of them are cordoned",
          () -> reported.size() == hosts.size() && cordoned.hasAll(reported.keySet()));
    }
    return reported;
  }

  /** Reports the first alert about a machine. */
  private static void report(ApiRequests api, HostId host, String alert) {
    SignalKey key = new SignalKey("bench", SignalKey.HOST, alert);
    Signal signal = Signal.standing(key, InstantSource.system().instant());
    RawClient.check(api.post(ApiPaths.SIGNALS, SignalPatch.creation(host, Map.of(key, signal))));
  }
}
