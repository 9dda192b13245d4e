package io.nodepool.bench.repair;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.nodepool.bench.BenchRun;
import io.nodepool.bench.Measurement;
import io.nodepool.bench.Operated;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.raw.RawClient;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.Measured;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Measures the repair of one idle Node by a reboot, and then how fast Nodes are cordoned for their
 * alerts: one after the other, and many within four seconds. All of these together are as many as
 * the level of a pool admits, and no alert stands on so many that it is suspected.
 */
public record RepairBench() implements Measurement {
  /** The fewest Nodes with which each part has one. */
  public static final int FEWEST = 20;

  private static final String REBOOTED = "GPUTimeoutError";

  /** Alerts that cordon at once; what follows begins a minute later. */
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

  /** How many are cordoned within the four seconds after that. */
  static int burst(int nodes) {
    return nodes / 5 - quiet(nodes);
  }

  @Override
  public BenchReport measure(BenchRun run) {
    return run.operated(run.nodes(), run.options().operator(), this::measure);
  }

  private BenchReport measure(Operated on) {
    on.grow(on.run().nodes(), false);
    BenchCluster cluster = on.run().cluster();
    List<String> nodes =
        cluster.nodes().stream().map(node -> node.getMetadata().getName()).sorted().toList();
    ApiRequests api = cluster.api();
    try (CordonTimes cordons = new CordonTimes(cluster.watching())) {
      on.rest();
      on.run().progress("Repairing one Node by a reboot ...");
      String repaired = nodes.getFirst();
      Operated.Period repair = on.begin(() -> report(api, repaired, REBOOTED));
      repair.await("the Node is back", () -> cordons.returnedAt(repaired));
      Measured measured = repair.end();

      int quiet = quiet(nodes.size());
      on.run().progress("Reporting alerts about %,d Nodes one by one ...".formatted(quiet));
      List<Duration> single = new ArrayList<>();
      for (int node = 1; node <= quiet; node++) {
        String name = nodes.get(node);
        report(api, name, alert(node));
        long at = System.nanoTime();
        on.await("Node " + name + " is cordoned", () -> cordons.cordonedAt(name).isPresent());
        single.add(since(at, cordons.cordonedAt(name)));
      }

      int burst = burst(nodes.size());
      on.run().progress("Reporting alerts about %,d Nodes within 4 s ...".formatted(burst));
      List<Duration> many = burst(on, api, cordons, nodes.subList(quiet + 1, quiet + 1 + burst));
      return new RepairFigures(nodes.size(), measured, single, many).report();
    }
  }

  private static String alert(int number) {
    return CORDONED.get(number % CORDONED.size());
  }

  private static List<Duration> burst(
      Operated on, ApiRequests api, CordonTimes cordons, List<String> nodes) {
    Map<String, Long> reported = new ConcurrentHashMap<>();
    try (ScheduledExecutorService threads = Executors.newScheduledThreadPool(4)) {
      for (int node = 0; node < nodes.size(); node++) {
        String name = nodes.get(node);
        String alert = alert(node);
        var _ =
            threads.schedule(
                () -> {
                  report(api, name, alert);
                  reported.put(name, System.nanoTime());
                },
                BURST.toMillis() * node / nodes.size(),
                TimeUnit.MILLISECONDS);
      }
      on.await(
          "all of them are cordoned",
          () -> nodes.stream().allMatch(name -> isCordoned(reported, cordons, name)));
    }
    return nodes.stream()
        .map(name -> since(reported.getOrDefault(name, 0L), cordons.cordonedAt(name)))
        .toList();
  }

  private static boolean isCordoned(Map<String, Long> reported, CordonTimes cordons, String node) {
    return reported.containsKey(node) && cordons.cordonedAt(node).isPresent();
  }

  private static Duration since(long at, OptionalLong seen) {
    return Duration.ofNanos(Math.max(0, seen.orElseThrow() - at));
  }

  /** Reports an alert about a machine about which nothing is reported yet. */
  private static void report(ApiRequests api, String host, String alert) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("apiVersion", HasMetadata.getApiVersion(HostSignalsResource.class));
    object.put("kind", HasMetadata.getKind(HostSignalsResource.class));
    object.putObject("metadata").put("name", host);
    object
        .putObject("spec")
        .putObject("signals")
        .putObject("bench.host." + alert)
        .put("since", InstantSource.system().instant().truncatedTo(ChronoUnit.SECONDS).toString());
    var _ = RawClient.done(api.post(ApiPaths.SIGNALS, object.toString()));
  }
}
