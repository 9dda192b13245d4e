package io.nodepool.bench.report;

import static io.nodepool.bench.report.ReportFormat.line;
import static io.nodepool.bench.report.ReportFormat.rounded;
import static io.nodepool.bench.report.ReportFormat.seconds;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The results of shrinking a pool. Pure.
 *
 * @param nodes the number of Nodes before
 * @param to the number of Nodes after
 * @param busy the number of Nodes with a tenant's Pod
 * @param time from the change of the target until the status reported TargetMet
 * @param writes all writes from there until the cluster was at rest
 * @param refused the number of these that the API server rejected
 * @param processorTimes processor time during the shrinking, by process
 * @param operatorPeakHeap the sum of the highest use of each pool of the operator's heap, in bytes
 */
public record ShrinkReport(
    int nodes,
    int to,
    int busy,
    Duration time,
    WriteTable writes,
    long refused,
    Map<String, Duration> processorTimes,
    double operatorPeakHeap) {
  private static final double MIB = 1024 * 1024;
  private static final String EVICTION = "create pods/eviction";
  private static final String EVENT = "events";

  public ShrinkReport {
    processorTimes = Collections.unmodifiableMap(new TreeMap<>(processorTimes));
  }

  private int removed() {
    return nodes - to;
  }

  private long evictions() {
    return writes.rows().stream()
        .filter(row -> row.kind().equals(EVICTION))
        .mapToLong(WriteTable.Row::operator)
        .sum();
  }

  private long events() {
    return writes.rows().stream()
        .filter(row -> row.kind().endsWith(" " + EVENT))
        .mapToLong(WriteTable.Row::operator)
        .sum();
  }

  private double perRemoved(long count) {
    return (double) count / removed();
  }

  private double perSecond(long count) {
    return count / seconds(time);
  }

  private Duration operatorProcessorTime() {
    return processorTimes.getOrDefault(GrowReport.OPERATOR, Duration.ZERO);
  }

  /** The report as one JSON object on one line. */
  public String json() {
    ObjectNode report = JsonNodeFactory.instance.objectNode();
    report.put("nodes", nodes);
    report.put("to", to);
    report.put("busy", busy);
    report.put("seconds", rounded(seconds(time), 3));
    report.put("evictions", evictions());
    report.put("evictionsPerSecond", rounded(perSecond(evictions()), 2));
    report.put("removedPerSecond", rounded(perSecond(removed()), 2));
    report.put(
        "operatorWritesPerRemovedNode", rounded(perRemoved(writes.operator() - evictions()), 3));
    report.put("operatorEventsPerRemovedNode", rounded(perRemoved(events()), 3));
    report.put("writesPerRemovedNode", rounded(perRemoved(writes.total()), 3));
    report.put("operatorCpuSeconds", rounded(seconds(operatorProcessorTime()), 2));
    report.put("operatorPeakHeapMiB", rounded(operatorPeakHeap / MIB, 1));
    report.put("refusedWrites", refused);
    ObjectNode times = report.putObject("cpuSeconds");
    processorTimes.forEach((process, used) -> times.put(process, rounded(seconds(used), 2)));
    writes.write(report.putArray("writes"));
    return report.toString();
  }

  /** The report for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("A pool shrank from %,d to %,d Nodes, %,d of them busy.".formatted(nodes, to, busy));
    lines.add("");
    lines.add(line("until TargetMet", seconds(time), "s"));
    lines.add(line("Nodes removed per second", perSecond(removed()), ""));
    lines.add(line("evictions", evictions(), ""));
    lines.add(line("evictions per second", perSecond(evictions()), ""));
    lines.add(
        line(
            "operator's writes per removed Node",
            perRemoved(writes.operator() - evictions()),
            "without evictions"));
    lines.add(line("Events among them", perRemoved(events()), ""));
    lines.add(line("all writes per removed Node", perRemoved(writes.total()), ""));
    lines.add(line("writes rejected by the API server", refused, ""));
    lines.add(line("operator's processor time", seconds(operatorProcessorTime()), "s"));
    lines.add(line("operator's peak heap", operatorPeakHeap / MIB, "MiB"));
    lines.add("");
    lines.addAll(writes.lines());
    return lines;
  }
}
