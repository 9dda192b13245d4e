package io.nodepool.bench.standing;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.nodepool.bench.BenchRun;
import io.nodepool.bench.Measurement;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.BenchFleet;
import io.nodepool.bench.measure.OperatorChild;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.WriteTable;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.RequestCounts;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Measures a cold start of the operator on an existing load, which a plain client has created, and
 * then its reactions to single changes. No other client writes meanwhile: the data centre has
 * ended, and controller manager and scheduler are suspended.
 *
 * @param pods the number of Pods, on four in five Nodes
 */
public record StandingBench(int pods) implements Measurement {
  private static final String HEAP = "-Xmx512m";
  private static final int CHANGES = 1000;
  private static final int SCRAPES = 100;
  private static final long SEED = 11;
  private static final Duration OFTEN = Duration.ofMillis(20);
  private static final Duration QUIET = Duration.ofMillis(50);

  /**
   * The maximum number of Pods on a number of Nodes: 110, the limit of a kubelet, on each Node that
   * is not idle.
   */
  public static int mostPods(int nodes) {
    int beside = nodes - 1;
    return (beside - beside / StandingLoad.IDLE_EVERY) * 110;
  }

  @Override
  public BenchReport measure(BenchRun run) {
    BenchCluster cluster = run.cluster();
    StandingLoad load = new StandingLoad(cluster.api(), templates(run));
    cluster.suspendControllers();
    Map<String, Integer> shares = StandingLoad.shares(run.nodes() - 1, pods);
    run.progress("Creating %,d Nodes and %,d Pods ...".formatted(run.nodes(), pods));
    load.write(shares);
    load.resize(BenchRun.POOL, run.nodes());
    try (Reactions reactions = new Reactions(cluster)) {
      StandingPlay play =
          new StandingPlay(
              cluster.api(), reactions, run.deadline(), load, BenchRun.POOL, run.nodes(), shares);
      return measure(run, shares, play).report();
    }
  }

  /** Templates from one machine that operator and data centre prepared, idle and with a Pod. */
  private static StandingTemplates templates(BenchRun run) {
    BenchCluster cluster = run.cluster();
    run.progress("Growing a pool by one Node, for templates ...");
    try (BenchFleet _ = BenchFleet.start(cluster, 1, run.nodes() + 1, run.deadline());
        OperatorChild operator = run.operator("templates")) {
      run.await("the operator is planning", operator::isPlanning);
      cluster.createPool(BenchRun.POOL, 1);
      run.awaitTarget(operator, 1);
      run.rest();
      String node = cluster.nodes().getFirst().getMetadata().getName();
      JsonNode idle = cluster.read(ApiPaths.node(node));
      GenericKubernetesResource work =
          cluster
              .client()
              .getKubernetesSerialization()
              .unmarshal(StandingTemplates.pod("template", node), GenericKubernetesResource.class);
      work.getMetadata().setNamespace(StandingLoad.NAMESPACE);
      cluster.client().resource(work).create();
      run.await("the Node reports CWActive", () -> cluster.busyNodes() == 1);
      JsonNode busy = cluster.read(ApiPaths.node(node));
      cluster.client().resource(work).withGracePeriod(0).delete();
      run.await("the Node reports that it is idle", () -> cluster.busyNodes() == 0);
      run.rest();
      return new StandingTemplates(cluster.read(ApiPaths.host(node)), idle, busy);
    }
  }

  private StandingReport measure(BenchRun run, Map<String, Integer> shares, StandingPlay play) {
    BenchCluster cluster = run.cluster();
    // A change while no operator leads, so that there is a first write.
    String first = cluster.nodes().getLast().getMetadata().getName();
    Reactions.Expected repaired = play.expectRelabelled(first);
    play.relabel(first);
    Map<String, Integer> others = new TreeMap<>(shares);
    others.remove(first);

    run.progress("Starting the operator ...");
    long begun = System.nanoTime();
    try (OperatorChild operator =
        OperatorChild.start(run.options().operator().with(HEAP), cluster, "operator")) {
      run.deadline().await("the operator is planning", OFTEN, operator::isPlanning);
      long planning = System.nanoTime();
      run.deadline().awaitSame("everything is planned once", QUIET, operator::runsIfNothingWaits);
      long planned = System.nanoTime();
      Duration used = BenchCluster.processorTime(operator.pid());
      long wrote = repaired.at();
      run.rest();
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
      run.progress("Making %,d changes, one after the other ...".formatted(changes.size()));
      Duration before = BenchCluster.processorTime(operator.pid());
      Map<StandingChanges.Kind, List<Duration>> latencies = play.play(changes);
      return new StandingReport(
          run.nodes(),
          pods,
          start,
          new StandingReport.Memory(operator.largestHeap(), live, operator.peakHeap(), resident),
          latencies,
          operator.scrapes(SCRAPES),
          BenchCluster.processorTime(operator.pid()).minus(before));
    }
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
