package io.nodepool.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.bench.measure.BenchFleet;
import io.nodepool.bench.measure.BenchOptions;
import io.nodepool.bench.measure.Deadline;
import io.nodepool.bench.measure.OperatorChild;
import io.nodepool.bench.measure.ProcessorTimes;
import io.nodepool.bench.measure.QuietPeriod;
import io.nodepool.bench.measure.WriteTotals;
import io.nodepool.bench.raw.RawClient;
import io.nodepool.bench.raw.RawPlan;
import io.nodepool.bench.raw.RawTemplates;
import io.nodepool.bench.report.GrowReport;
import io.nodepool.bench.report.WriteTable;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.client.RequestCounts;
import io.nodepool.kubernetes.client.WriteGate;
import java.time.Duration;
import java.util.Map;

/**
 * Measures the growth of one pool on a local cluster, with the operator in a process of its own and
 * the data centre in this one. A plain client then repeats the same writes on the same cluster. A
 * small growth before warms up both.
 */
public final class GrowBench {
  private static final String POOL = "bench";
  private static final String WARM_UP = "warm-up";
  private static final int WARM_UP_NODES = 500;
  private static final String NOT_READY = "node.kubernetes.io/not-ready";

  private final BenchOptions options;
  private final Deadline deadline;

  /** Creates the measurement without starting it. */
  public GrowBench(BenchOptions options) {
    this.options = options;
    this.deadline = new Deadline(options.longest(), System::nanoTime);
  }

  /**
   * Runs the measurement.
   *
   * @throws BenchFailure if the measurement fails or exceeds its deadline
   */
  public GrowReport run() {
    try (BenchCluster cluster = BenchCluster.start(options)) {
      GrowthResult grown = grow(cluster);
      progress("Repeating the writes with a plain client ...");
      cluster.suspendControllers();
      return grown.report(options, replay(cluster, grown));
    }
  }

  private void progress(String line) {
    options.progress().accept(line);
  }

  /** The results of the growth, without those of the plain client. */
  private record GrowthResult(
      Duration growth,
      Duration settled,
      WriteTable writes,
      long refused,
      long idleWrites,
      Map<String, Duration> processorTimes,
      double peakHeap,
      RawTemplates templates) {
    GrowReport report(BenchOptions options, ReplayResult raw) {
      return new GrowReport(
          options.nodes(),
          new GrowReport.Times(growth, settled, raw.time()),
          writes,
          refused,
          new GrowReport.Rest(idleWrites, options.rest()),
          new GrowReport.Use(processorTimes, raw.processorTimes(), peakHeap));
    }
  }

  private GrowthResult grow(BenchCluster cluster) {
    int nodes = options.nodes();
    progress("Creating %,d machines ...".formatted(nodes));
    try (BenchFleet fleet = BenchFleet.start(cluster, nodes, deadline);
        OperatorChild operator = OperatorChild.start(options.operator(), cluster, "operator")) {
      deadline.await("the operator is planning", operator::isPlanning);
      warmUp(cluster, Math.min(nodes, WARM_UP_NODES));
      QuietPeriod.await(cluster, deadline);

      progress("Growing a pool to %,d Nodes ...".formatted(nodes));
      WriteTotals before = WriteTotals.now(cluster, operator, fleet);
      Map<String, Duration> timesBefore = ProcessorTimes.now(cluster, operator);
      long begun = System.nanoTime();
      cluster.createPool(POOL, nodes);
      operator.await(
          deadline,
          "the pool of %,d Nodes is at its target".formatted(nodes),
          () -> cluster.metAt(POOL, nodes).isPresent());
      long met = cluster.metAt(POOL, nodes).orElseThrow();
      Map<String, Duration> times = ProcessorTimes.now(cluster, operator);
      deadline.await("all Nodes are Ready", () -> all(cluster, nodes, GrowBench::isReady));
      deadline.await("all Nodes are untainted", () -> all(cluster, nodes, GrowBench::isUntainted));
      long settled = System.nanoTime();
      QuietPeriod.await(cluster, deadline);
      WriteTotals after = WriteTotals.now(cluster, operator, fleet);

      progress("Watching the cluster at rest for %d s ...".formatted(options.rest().toSeconds()));
      deadline.pass(options.rest());
      WriteTotals rested = WriteTotals.now(cluster, operator, fleet);
      return new GrowthResult(
          Duration.ofNanos(met - begun),
          Duration.ofNanos(settled - begun),
          after.writesSince(before),
          after.refusedSince(before),
          rested.writesSince(after).total(),
          ProcessorTimes.since(timesBefore, times),
          operator.peakHeap(),
          templates(cluster));
    }
  }

  private void warmUp(BenchCluster cluster, int nodes) {
    progress("Warming up with %,d Nodes ...".formatted(nodes));
    cluster.createPool(WARM_UP, nodes);
    deadline.await(
        "the first pool is at its target", () -> cluster.metAt(WARM_UP, nodes).isPresent());
    cluster.deletePool(WARM_UP);
    deadline.await("the first pool no longer exists", () -> !cluster.hasPool(WARM_UP));
    deadline.await(
        "all machines are free again", () -> BenchFleet.isFree(cluster, options.nodes()));
  }

  private static boolean all(
      BenchCluster cluster, int nodes, java.util.function.Predicate<Node> is) {
    return cluster.nodes().stream().filter(is).count() == nodes;
  }

  private static boolean isReady(Node node) {
    return node.getStatus().getConditions().stream()
        .anyMatch(condition ->
            condition.getType().equals("Ready") && condition.getStatus().equals("True"));
  }

  private static boolean isUntainted(Node node) {
    return node.getSpec().getTaints().stream().noneMatch(taint -> taint.getKey().equals(NOT_READY));
  }

  /** Templates made from objects that the growth left. */
  private static RawTemplates templates(BenchCluster cluster) {
    ApiRequests requests = new ApiRequests(cluster.client(), WriteGate.ALWAYS_OPEN);
    Event event =
        cluster.client().v1().events().inNamespace("default").list().getItems().stream()
            .filter(each -> each.getReason().equals("CWNodeRegistered"))
            .filter(each -> each.getInvolvedObject().getKind().equals("Node"))
            .findFirst()
            .orElseThrow(() -> BenchFailure.because("No Event CWNodeRegistered is about a Node."));
    String node = event.getInvolvedObject().getName();
    return new RawTemplates(
        read(requests, ApiPaths.host(node)),
        read(requests, ApiPaths.node(node)),
        read(requests, ApiPaths.pool(POOL)),
        read(requests, ApiPaths.EVENTS + "/" + event.getMetadata().getName()));
  }

  /** Reads an object as JSON. */
  public static JsonNode read(ApiRequests requests, String path) {
    return switch (requests.get(path)) {
      case Reply.Ok ok -> requests.parse(ok, JsonNode.class);
      case Reply failed -> throw BenchFailure.because("%s: %s".formatted(path, failed));
    };
  }

  /** The time and the processor time that the plain client needed. */
  private record ReplayResult(Duration time, Map<String, Duration> processorTimes) {}

  private ReplayResult replay(BenchCluster cluster, GrowthResult grown) {
    RawClient client =
        new RawClient(new ApiRequests(cluster.client(), WriteGate.ALWAYS_OPEN), grown.templates());
    int warmUp = Math.min(options.nodes(), WARM_UP_NODES);
    RequestCounts writes = grown.writes().all();
    client.prepare();
    RawPlan small = RawPlan.of(RawPlan.scaled(writes, options.nodes(), warmUp), warmUp);
    client.makeHosts(small, "warm");
    var _ = client.write(small, "warm");
    RawPlan plan = RawPlan.of(writes, options.nodes());
    client.makeHosts(plan, "raw");
    Map<String, Duration> before = ProcessorTimes.now(cluster);
    Duration time = client.write(plan, "raw");
    return new ReplayResult(time, ProcessorTimes.since(before, ProcessorTimes.now(cluster)));
  }
}
