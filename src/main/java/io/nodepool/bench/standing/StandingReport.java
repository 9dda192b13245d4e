package io.nodepool.bench.standing;

import io.nodepool.bench.measure.OperatorChild;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.WriteTable;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * The results of a cold start on an existing load, and the latencies of the reactions to changes.
 * Pure.
 *
 * @param nodes the number of Nodes
 * @param pods the number of Pods
 * @param start the cold start
 * @param memory the operator's memory
 * @param latencies from the response to a change until the operator's reaction was observed, by
 *     kind
 * @param scrapes the cost of the operator's metrics
 * @param operatorTime processor time of the operator during the changes
 */
record StandingReport(
    int nodes,
    int pods,
    Start start,
    Memory memory,
    Map<StandingChanges.Kind, List<Duration>> latencies,
    OperatorChild.Scrapes scrapes,
    Duration operatorTime) {
  /**
   * A cold start.
   *
   * @param planning from the start of the process until it had listed every kind and planned
   * @param firstPlans until everything had been planned once
   * @param firstWrite until a watch showed its first write, the reaction to an earlier change
   * @param processorTime of the operator until everything had been planned once
   * @param needlessWrites its writes except that reaction
   */
  record Start(
      Duration planning,
      Duration firstPlans,
      Duration firstWrite,
      Duration processorTime,
      WriteTable needlessWrites) {}

  /**
   * The operator's memory, in bytes.
   *
   * @param largest the maximum size of its heap
   * @param live the used heap after a full collection, at rest
   * @param peak the sum of the highest use of each pool of the heap, until the end
   * @param resident the resident memory at rest, before that collection
   */
  record Memory(double largest, double live, double peak, double resident) {}

  StandingReport {
    latencies = Collections.unmodifiableMap(new EnumMap<>(latencies));
  }

  /** The report. */
  BenchReport report() {
    WriteTable needless = start.needlessWrites();
    BenchReport report =
        new BenchReport(
                "The operator was started on %,d Nodes with %,d Pods, its heap at most %.0f MiB."
                    .formatted(nodes, pods, memory.largest() / (1 << 20)))
            .fact("nodes", nodes)
            .fact("pods", pods)
            .time("planningSeconds", start.planning(), "until it planned")
            .time("firstPlansSeconds", start.firstPlans(), "until all was planned once")
            .time("firstWriteSeconds", start.firstWrite(), "until its first write was observed")
            .processorTime("startCpuSeconds", start.processorTime(), "processor time of the start")
            .count("needlessWrites", needless.total(), "writes without a cause")
            .size("operatorMaxHeapMiB", memory.largest(), "largest heap")
            .size("operatorLiveHeapMiB", memory.live(), "heap after a full collection")
            .size("operatorPeakHeapMiB", memory.peak(), "peak heap")
            .size("operatorResidentMiB", memory.resident(), "resident memory of the process")
            .count("series", scrapes.series(), "series of the operator's metrics")
            .count("seriesOfPool", scrapes.ofPools(), "of these, about the pool")
            .figure("scrapeKiB", scrapes.bytes() / 1024.0, 0, "page of the metrics", "KiB")
            .processorTime("changesCpuSeconds", operatorTime, "processor time of the changes");
    List<Duration> all = latencies.values().stream().flatMap(List::stream).toList();
    report.fact("changes", all.size()).latencies("from a change to the reaction");
    latencies.forEach(
        (kind, times) -> report.latency("/latencyMillisByKind/" + name(kind), name(kind), times));
    return report
        .latency("/latencyMillis", "all", all)
        .latency("/scrapeMillis", "scrape of the metrics", scrapes.times())
        .writes("needless", needless);
  }

  private static String name(StandingChanges.Kind kind) {
    return switch (kind) {
      case POD_BOUND -> "podBound";
      case POD_ENDED -> "podEnded";
      case LABEL_CHANGED -> "labelChanged";
      case CONDITION_CHANGED -> "conditionChanged";
      case TARGET_MOVED -> "targetMoved";
    };
  }
}
