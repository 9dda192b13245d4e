package io.nodepool.bench;

import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.bench.measure.BenchCluster;
import io.nodepool.bench.measure.BenchFleet;
import io.nodepool.bench.measure.WriteTotals;
import io.nodepool.bench.raw.RawLife;
import io.nodepool.bench.raw.RawTemplates;
import io.nodepool.bench.raw.Replay;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.Measured;
import io.nodepool.bench.report.Replayed;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * Measures the growth of one pool, with the operator in a process of its own and the data centre in
 * this one. A plain client then repeats the same writes on the same cluster. A small growth warms
 * up both before.
 */
public final class GrowBench implements Measurement {
  private static final String WARM_UP = "warm-up";
  private static final String NOT_READY = "node.kubernetes.io/not-ready";

  /**
   * The results of the growth, without the plain client's results.
   *
   * @param untainted from the pool's creation until no Node had the taint that Kubernetes sets on a
   *     new Node
   * @param idleWrites the writes in a period of rest after the growth, without those to Leases
   * @param rest its length
   */
  record Grown(Measured measured, Duration untainted, long idleWrites, Duration rest) {
    BenchReport report(int nodes, Replayed raw) {
      return new BenchReport("A pool grew by %,d Nodes.".formatted(nodes))
          .fact("nodes", nodes)
          .time("seconds", measured.time(), "until all Ready and TargetMet")
          .replayed(measured, raw)
          .time("settledSeconds", untainted, "until Kubernetes removed all taints")
          .perNode(
              "operatorWritesPerNode",
              measured.writes().operator(),
              nodes,
              "operator's writes per Node")
          .perNode("writesPerNode", measured.writes().total(), nodes, "all writes per Node")
          .count("idleWrites", idleWrites, "writes in %d s of rest".formatted(rest.toSeconds()))
          .fact("restSeconds", rest.toSeconds())
          .used(measured)
          .writes("writes", measured.writes())
          .processors(measured, raw);
    }
  }

  @Override
  public BenchReport measure(BenchRun run) {
    Grown grown = run.operated(run.nodes(), GrowBench::grow);
    run.progress("Repeating the writes with a plain client ...");
    RawTemplates templates = RawTemplates.read(run.cluster(), BenchRun.POOL);
    return grown.report(
        run.nodes(),
        Replay.of(
            run.cluster(),
            templates,
            RawLife.GROWTH,
            grown.measured().writes().all(),
            run.nodes()));
  }

  private static Grown grow(Operated on) {
    BenchRun run = on.run();
    int nodes = run.nodes();
    warmUp(run, Math.min(nodes, Replay.WARM_UP));
    on.rest();
    run.progress("Growing a pool to %,d Nodes ...".formatted(nodes));
    Operated.Period growth = on.begin(() -> run.cluster().createPool(BenchRun.POOL, nodes));
    growth.await("the pool is at its target", () -> run.cluster().metAt(BenchRun.POOL, nodes));
    run.await("all Nodes are Ready", () -> all(run, node -> BenchCluster.isTrue(node, "Ready")));
    run.await("all Nodes are untainted", () -> all(run, GrowBench::isUntainted));
    Duration untainted = growth.passed();
    Measured measured = growth.end();

    Duration rest = run.options().rest();
    run.progress("Watching the cluster at rest for %d s ...".formatted(rest.toSeconds()));
    WriteTotals still = on.writes();
    run.deadline().pass(rest);
    return new Grown(measured, untainted, on.writes().writesSince(still).total(), rest);
  }

  private static void warmUp(BenchRun run, int nodes) {
    run.progress("Warming up with %,d Nodes ...".formatted(nodes));
    run.cluster().createPool(WARM_UP, nodes);
    run.await(
        "the first pool is at its target", () -> run.cluster().metAt(WARM_UP, nodes).isPresent());
    run.cluster().deletePool(WARM_UP);
    run.await("the first pool no longer exists", () -> !run.cluster().hasPool(WARM_UP));
    run.await("all machines are free again", () -> BenchFleet.isFree(run.cluster(), run.nodes()));
  }

  private static boolean all(BenchRun run, Predicate<Node> is) {
    return run.cluster().nodes().stream().filter(is).count() == run.nodes();
  }

  private static boolean isUntainted(Node node) {
    return node.getSpec().getTaints().stream().noneMatch(taint -> taint.getKey().equals(NOT_READY));
  }
}
