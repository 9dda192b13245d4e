package io.nodepool.bench;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.raw.RawLife;
import io.nodepool.bench.raw.RawTemplates;
import io.nodepool.bench.raw.Replay;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.Measured;
import io.nodepool.bench.report.Replayed;
import io.nodepool.bench.report.WriteTable;
import java.util.List;

/**
 * Measures how one pool with some busy Nodes shrinks. The pool has the strategy PreferIdle: it
 * removes idle Nodes first and drains busy Nodes if needed. A plain client then repeats the same
 * writes, and the lists of Pods, on the same cluster.
 *
 * @param to the number of Nodes after the shrinking
 * @param busy the number of Nodes with a tenant's Pod
 */
public record ShrinkBench(int to, int busy) implements Measurement {
  private static final String EVICTION = "create pods/eviction";

  @Override
  public BenchReport measure(BenchRun run) {
    Shrunk shrunk = run.operated(run.nodes(), this::shrink);
    run.progress("Repeating the writes with a plain client ...");
    Measured measured = shrunk.measured();
    Replayed raw =
        Replay.of(
            run.cluster(),
            shrunk.templates(),
            RawLife.REMOVAL,
            RawLife.withPodLists(measured.writes().all(), measured.podLists()),
            run.nodes() - to);
    return report(run.nodes(), measured, raw);
  }

  /** The figures, and templates of the objects before the shrinking. */
  private record Shrunk(Measured measured, RawTemplates templates) {}

  private Shrunk shrink(Operated on) {
    BenchRun run = on.run();
    BenchCluster cluster = run.cluster();
    on.grow(run.nodes(), true);
    run.progress("Binding a Pod to %,d of them ...".formatted(busy));
    List<String> names =
        cluster.nodes().stream().map(node -> node.getMetadata().getName()).sorted().toList();
    names.stream().limit(busy).forEach(name -> cluster.client().resource(work(name)).create());
    run.await("%,d Nodes report CWActive".formatted(busy), () -> cluster.busyNodes() == busy);
    on.rest();
    RawTemplates templates = RawTemplates.read(cluster, BenchRun.POOL);

    run.progress("Shrinking it to %,d Nodes ...".formatted(to));
    Operated.Period shrinking = on.begin(() -> cluster.retarget(BenchRun.POOL, to));
    shrinking.await("the pool is at its target", () -> cluster.metAt(BenchRun.POOL, to));
    return new Shrunk(shrinking.end(), templates);
  }

  BenchReport report(int nodes, Measured measured, Replayed raw) {
    WriteTable writes = measured.writes();
    int removed = nodes - to;
    long evictions = writes.operator(EVICTION);
    double seconds = BenchReport.seconds(measured.time());
    return new BenchReport(
            "A pool shrank from %,d to %,d Nodes, %,d of them busy.".formatted(nodes, to, busy))
        .fact("nodes", nodes)
        .fact("to", to)
        .fact("busy", busy)
        .time("seconds", measured.time(), "until TargetMet")
        .replayed(measured, raw)
        .figure("removedPerSecond", removed / seconds, 2, "Nodes removed per second", "")
        .count("evictions", evictions, "evictions")
        .figure("evictionsPerSecond", evictions / seconds, 2, "evictions per second", "")
        .figure(
            "operatorWritesPerRemovedNode",
            (double) (writes.operator() - evictions) / removed,
            3,
            "operator's writes per removed Node",
            "without evictions")
        .perNode(
            "operatorEventsPerRemovedNode",
            writes.operator(WriteTable.EVENTS),
            removed,
            "Events among them")
        .perNode("writesPerRemovedNode", writes.total(), removed, "all writes per removed Node")
        .count("podLists", measured.podLists(), "operator's lists of Pods")
        .used(measured)
        .writes("writes", writes)
        .processors(measured, raw);
  }

  /** A tenant's Pod bound to this Node, with a grace period of one second. */
  private static Pod work(String node) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("work-" + node)
        .withNamespace("default")
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .withTerminationGracePeriodSeconds(1L)
        .addNewToleration()
        .withOperator("Exists")
        .endToleration()
        .addNewContainer()
        .withName("work")
        .withImage("work")
        .endContainer()
        .endSpec()
        .build();
  }
}
