package io.nodepool.bench.standing;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.nodepool.bench.GrowBench;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.bench.measure.BenchFleet;
import io.nodepool.bench.measure.BenchOptions;
import io.nodepool.bench.measure.Deadline;
import io.nodepool.bench.measure.OperatorChild;
import io.nodepool.bench.measure.QuietPeriod;
import io.nodepool.bench.report.StandingReport;
import io.nodepool.bench.report.WriteTable;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.RequestCounts;
import io.nodepool.kubernetes.client.WriteGate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;

/**
 * Measures a cold start of the operator on an existing load, which a plain client has created, and
 * then its reactions to single changes. No other client writes meanwhile: the data centre has
 * ended, and controller manager and scheduler are suspended.
 */
public final class StandingBench {
  private static final String POOL = "bench";
  private static final String HEAP = "-Xmx512m";
  private static final int CHANGES = 1000;
  private static final long SEED = 11;
  private static final Duration OFTEN = Duration.ofMillis(20);
  private static final Duration QUIET = Duration.ofMillis(50);

  private final BenchOptions options;
  private final int pods;
  private final Deadline deadline;

  /**
   * Creates the measurement without starting it.
   *
   * @param pods the number of Pods, on four in five Nodes
   */
  public StandingBench(BenchOptions options, int pods) {
    this.options = options;
    this.pods = pods;
    this.deadline = new Deadline(options.longest(), System::nanoTime);
  }

  /**
   * The maximum number of Pods on a number of Nodes: 110, the limit of a kubelet, on each Node that
   * is not idle.
   */
  public static int mostPods(int nodes) {
    int beside = nodes - 1;
    return (beside - beside / StandingLoad.IDLE_EVERY) * 110;
  }

  /**
   * Runs the measurement.
   *
   * @throws BenchFailure if the measurement fails or exceeds its deadline
   */
  public StandingReport run() {
    try (BenchCluster cluster = BenchCluster.start(options)) {
      ApiRequests requests = new ApiRequests(cluster.client(), WriteGate.ALWAYS_OPEN);
      StandingLoad load = new StandingLoad(requests, templates(cluster, requests));
      cluster.suspendControllers();
      Map<String, Integer> shares = StandingLoad.shares(options.nodes() - 1, pods);
      progress("Creating %,d Nodes and %,d Pods ...".formatted(options.nodes(), pods));
      load.write(shares);
      load.resize(POOL, options.nodes());
      try (Reactions reactions = new Reactions(cluster.watching())) {
        return measure(
            cluster,
            shares,
            new StandingPlay(requests, reactions, deadline, load, POOL, options.nodes(), shares));
      }
    }
  }

  private void progress(String line) {
    options.progress().accept(line);
  }

  /** Templates from one machine as operator and data centre leave it, idle and with a Pod. */
  private StandingTemplates templates(BenchCluster cluster, ApiRequests requests) {
    progress("Growing a pool by one Node, for templates ...");
    try (BenchFleet _ = BenchFleet.start(cluster, 1, options.nodes() + 1, deadline);
        OperatorChild operator = OperatorChild.start(options.operator(), cluster, "templates")) {
      deadline.await("the operator is planning", operator::isPlanning);
      cluster.createPool(POOL, 1);
      deadline.await("the first Node exists", () -> cluster.metAt(POOL, 1).isPresent());
      QuietPeriod.await(cluster, deadline);
      String node = cluster.nodes().getFirst().getMetadata().getName();
      JsonNode idle = GrowBench.read(requests, ApiPaths.node(node));
      GenericKubernetesResource work =
          cluster
              .client()
              .getKubernetesSerialization()
              .unmarshal(StandingTemplates.pod("template", node), GenericKubernetesResource.class);
      work.getMetadata().setNamespace(StandingLoad.NAMESPACE);
      cluster.client().resource(work).create();
      deadline.await("the Node reports CWActive", () -> cluster.busyNodes() == 1);
      JsonNode busy = GrowBench.read(requests, ApiPaths.node(node));
      cluster.client().resource(work).withGracePeriod(0).delete();
      deadline.await("the Node reports that it is idle", () -> cluster.busyNodes() == 0);
      QuietPeriod.await(cluster, deadline);
      return new StandingTemplates(GrowBench.read(requests, ApiPaths.host(node)), idle, busy);
    }
  }

  private StandingReport measure(
      BenchCluster cluster, Map<String, Integer> shares, StandingPlay play) {
    // A change while no operator leads, so that there is a first write.
    String first = cluster.nodes().getLast().getMetadata().getName();
    Reactions.Expected repaired = play.expectRelabelled(first);
    play.relabel(first);
    Map<String, Integer> others = new TreeMap<>(shares);
    others.remove(first);

    progress("Starting the operator ...");
    long begun = System.nanoTime();
    try (OperatorChild operator =
        OperatorChild.start(options.operator().with(HEAP), cluster, "operator")) {
      deadline.await("the operator is planning", OFTEN, operator::isPlanning);
      long planning = System.nanoTime();
      awaitFirstPlans(operator);
      long planned = System.nanoTime();
      Duration used = BenchCluster.processorTime(operator.pid());
      long wrote = repaired.at();
      QuietPeriod.await(cluster, deadline);
      StandingReport.Start start =
          new StandingReport.Start(
              Duration.ofNanos(planning - begun),
              Duration.ofNanos(planned - begun),
              Duration.ofNanos(wrote - begun),
              used,
              needless(operator.writes()));
      double resident = operator.residentMemory();
      double live = operator.liveHeap();

      List<StandingChanges.Change> changes = StandingChanges.of(others, CHANGES, SEED);
      progress("Making %,d changes, one after the other ...".formatted(changes.size()));
      Duration before = BenchCluster.processorTime(operator.pid());
      Map<StandingChanges.Kind, List<Duration>> latencies = play.play(changes);
      return new StandingReport(
          options.nodes(),
          pods,
          start,
          new StandingReport.Memory(operator.largestHeap(), live, operator.peakHeap(), resident),
          latencies,
          BenchCluster.processorTime(operator.pid()).minus(before));
    }
  }

  /** Waits until no work waits for the decision thread in two reads in a row. */
  private void awaitFirstPlans(OperatorChild operator) {
    OptionalDouble[] last = {OptionalDouble.empty()};
    deadline.await(
        "everything is planned once",
        QUIET,
        () -> {
          OptionalDouble runs = operator.runsIfNothingWaits();
          boolean same = runs.isPresent() && runs.equals(last[0]);
          last[0] = runs;
          return same;
        });
  }

  /** The operator's writes without its reaction to the change before its start. */
  private static WriteTable needless(RequestCounts writes) {
    TreeMap<String, Long> counts = new TreeMap<>(writes.byKind());
    counts.computeIfPresent("patch nodes", (_, count) -> count == 1 ? null : count - 1);
    RequestCounts needless = new RequestCounts(counts);
    RequestCounts none = new RequestCounts(new TreeMap<>());
    return WriteTable.of(needless, needless, none, none);
  }
}
