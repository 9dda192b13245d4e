package io.nodepool.bench.report;

import static io.nodepool.bench.report.ReportFormat.line;
import static io.nodepool.bench.report.ReportFormat.rounded;
import static io.nodepool.bench.report.ReportFormat.seconds;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.bench.standing.StandingChanges;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
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
 * @param operatorTime processor time of the operator during the changes
 */
public record StandingReport(
    int nodes,
    int pods,
    Start start,
    Memory memory,
    Map<StandingChanges.Kind, List<Duration>> latencies,
    Duration operatorTime) {
  private static final double MIB = 1024 * 1024;

  /**
   * A cold start.
   *
   * @param planning from the start of the process until it had listed every kind and planned
   * @param firstPlans until everything had been planned once
   * @param firstWrite until a watch showed its first write, the reaction to an earlier change
   * @param processorTime of the operator until everything had been planned once
   * @param needlessWrites its writes other than that reaction
   */
  public record Start(
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
  public record Memory(double largest, double live, double peak, double resident) {}

  public StandingReport {
    EnumMap<StandingChanges.Kind, List<Duration>> sorted =
        new EnumMap<>(StandingChanges.Kind.class);
    latencies.forEach((kind, times) -> sorted.put(kind, times.stream().sorted().toList()));
    latencies = Collections.unmodifiableMap(sorted);
  }

  private List<Duration> all() {
    return latencies.values().stream().flatMap(List::stream).sorted().toList();
  }

  /** A percentile in milliseconds; zero if there are no values. */
  private static double millis(List<Duration> sorted, int percent) {
    return sorted.isEmpty()
        ? 0
        : sorted.get(Math.ceilDiv(sorted.size() * percent, 100) - 1).toNanos() / 1e6;
  }

  /** The report as one JSON object on one line. */
  public String json() {
    ObjectNode report = JsonNodeFactory.instance.objectNode();
    report.put("nodes", nodes);
    report.put("pods", pods);
    report.put("planningSeconds", rounded(seconds(start.planning()), 3));
    report.put("firstPlansSeconds", rounded(seconds(start.firstPlans()), 3));
    report.put("firstWriteSeconds", rounded(seconds(start.firstWrite()), 3));
    report.put("startCpuSeconds", rounded(seconds(start.processorTime()), 2));
    report.put("needlessWrites", start.needlessWrites().total());
    start.needlessWrites().write(report.putArray("needless"));
    report.put("operatorMaxHeapMiB", rounded(memory.largest() / MIB, 1));
    report.put("operatorLiveHeapMiB", rounded(memory.live() / MIB, 1));
    report.put("operatorPeakHeapMiB", rounded(memory.peak() / MIB, 1));
    report.put("operatorResidentMiB", rounded(memory.resident() / MIB, 1));
    List<Duration> all = all();
    report.put("changes", all.size());
    report.put("changesCpuSeconds", rounded(seconds(operatorTime), 2));
    write(report.putObject("latencyMillis"), all);
    ObjectNode kinds = report.putObject("latencyMillisByKind");
    latencies.forEach((kind, times) -> write(kinds.putObject(name(kind)), times));
    return report.toString();
  }

  private static void write(ObjectNode to, List<Duration> sorted) {
    to.put("changes", sorted.size());
    to.put("p50", rounded(millis(sorted, 50), 1));
    to.put("p99", rounded(millis(sorted, 99), 1));
    to.put("max", rounded(millis(sorted, 100), 1));
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

  /** The report for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "The operator was started on %,d Nodes with %,d Pods, its heap at most %.0f MiB."
            .formatted(nodes, pods, memory.largest() / MIB));
    lines.add("");
    lines.add(line("until it planned", seconds(start.planning()), "s"));
    lines.add(line("until all was planned once", seconds(start.firstPlans()), "s"));
    lines.add(line("until its first write was observed", seconds(start.firstWrite()), "s"));
    lines.add(line("processor time of the start", seconds(start.processorTime()), "s"));
    lines.add(line("writes without a cause", start.needlessWrites().total(), ""));
    lines.add(line("heap after a full collection", memory.live() / MIB, "MiB"));
    lines.add(line("peak heap", memory.peak() / MIB, "MiB"));
    lines.add(line("resident memory of the process", memory.resident() / MIB, "MiB"));
    lines.add(line("processor time of the changes", seconds(operatorTime), "s"));
    lines.add("");
    lines.add(
        ReportFormat.row("from a change to the reaction", "changes", "P50 ms", "P99 ms", "max ms"));
    latencies.forEach((kind, times) -> lines.add(row(name(kind), times)));
    lines.add(row("all", all()));
    if (start.needlessWrites().total() > 0) {
      lines.add("");
      lines.addAll(start.needlessWrites().lines());
    }
    return lines;
  }

  private static String row(String name, List<Duration> sorted) {
    return ReportFormat.row(
        name,
        sorted.size(),
        text(millis(sorted, 50)),
        text(millis(sorted, 99)),
        text(millis(sorted, 100)));
  }

  private static String text(double millis) {
    return String.format(Locale.ROOT, "%.1f", millis);
  }
}
