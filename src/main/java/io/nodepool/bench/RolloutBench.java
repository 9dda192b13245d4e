package io.nodepool.bench;

import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.Measured;
import io.nodepool.bench.report.WriteTable;
import io.nodepool.vocabulary.metadata.PoolAnnotations;

/**
 * Measures how one idle pool takes on another configuration in a rollout, on machines that boot and
 * are verified in no time.
 *
 * @param maxUnavailable a Node begins only while fewer than this are unavailable
 */
public record RolloutBench(int maxUnavailable) implements Measurement {
  @Override
  public BenchReport measure(BenchRun run) {
    return report(run.nodes(), run.operated(run.nodes(), this::rollOut));
  }

  private Measured rollOut(Operated on) {
    BenchRun run = on.run();
    BenchCluster cluster = run.cluster();
    on.grow(run.nodes(), false);
    cluster.annotate(
        BenchRun.POOL,
        PoolAnnotations.ROLLOUT_MAX_UNAVAILABLE.key(),
        String.valueOf(maxUnavailable));
    String profile = on.fleet().publish(cluster);
    on.await("the configuration is pending", () -> cluster.isPending(BenchRun.POOL, profile));
    cluster.annotate(BenchRun.POOL, PoolAnnotations.PROMOTE.key(), "true");
    on.await("the configuration is staged", () -> cluster.areStaged(profile));
    on.rest();

    run.progress("Rolling out %s, at most %,d at once ...".formatted(profile, maxUnavailable));
    Operated.Period rollout =
        on.begin(() -> cluster.annotate(BenchRun.POOL, PoolAnnotations.ROLLOUT.key(), "start"));
    rollout.await("every Node is up to date", () -> cluster.upToDateAt(BenchRun.POOL, profile));
    return rollout.end();
  }

  BenchReport report(int nodes, Measured measured) {
    WriteTable writes = measured.writes();
    long objects = writes.operator() - writes.operator(WriteTable.EVENTS);
    return new BenchReport(
            "A configuration was rolled out over %,d Nodes, at most %,d unavailable."
                .formatted(nodes, maxUnavailable))
        .fact("nodes", nodes)
        .fact("maxUnavailable", maxUnavailable)
        .time("seconds", measured.time(), "until every Node was up to date")
        .figure(
            "nodesPerSecond",
            nodes / BenchReport.seconds(measured.time()),
            2,
            "Nodes per second",
            "")
        .perNode("operatorWritesPerNode", writes.operator(), nodes, "operator's writes per Node")
        .perNode("operatorWritesPerNodeWithoutEvents", objects, nodes, "without Events")
        .perNode("writesPerNode", writes.total(), nodes, "all writes per Node")
        .figure(
            "operatorCpuMillisPerNode",
            BenchReport.seconds(measured.operatorTime()) * 1000 / nodes,
            2,
            "operator's processor time per Node",
            "ms")
        .used(measured)
        .writes("writes", writes);
  }
}
