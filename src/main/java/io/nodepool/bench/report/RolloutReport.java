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
 * The results of a rollout over a pool. Pure.
 *
 * @param nodes the number of Nodes, all of which took on the configuration
 * @param maxUnavailable a Node began only while fewer than this were unavailable
 * @param time from the command until the status reported that all Nodes are up to date
 * @param writes all writes from there until the cluster was at rest
 * @param refused the number of these that the API server rejected
 * @param processorTimes processor time during the rollout, by process
 * @param operatorPeakHeap the sum of the highest use of each pool of the operator's heap, in bytes
 */
public record RolloutReport(
    int nodes,
    int maxUnavailable,
    Duration time,
    WriteTable writes,
    long refused,
    Map<String, Duration> processorTimes,
    double operatorPeakHeap) {
  private static final double MIB = 1024 * 1024;
  private static final String EVENTS = " events";

  public RolloutReport {
    processorTimes = Collections.unmodifiableMap(new TreeMap<>(processorTimes));
  }

  private double perNode(double count) {
    return count / nodes;
  }

  private long operatorEvents() {
    return writes.rows().stream()
        .filter(row -> row.kind().endsWith(EVENTS))
        .mapToLong(WriteTable.Row::operator)
        .sum();
  }

  private Duration operatorProcessorTime() {
    return processorTimes.getOrDefault(GrowReport.OPERATOR, Duration.ZERO);
  }

  /** The report as one JSON object on one line. */
  public String json() {
    ObjectNode report = JsonNodeFactory.instance.objectNode();
    report.put("nodes", nodes);
    report.put("maxUnavailable", maxUnavailable);
    report.put("seconds", rounded(seconds(time), 3));
    report.put("nodesPerSecond", rounded(nodes / seconds(time), 2));
    report.put("operatorWritesPerNode", rounded(perNode((double) writes.operator()), 3));
    report.put(
        "operatorWritesPerNodeWithoutEvents",
        rounded(perNode((double) (writes.operator() - operatorEvents())), 3));
    report.put("writesPerNode", rounded(perNode((double) writes.total()), 3));
    report.put("operatorCpuSeconds", rounded(seconds(operatorProcessorTime()), 2));
    report.put(
        "operatorCpuMillisPerNode",
        rounded(perNode((double) operatorProcessorTime().toMillis()), 2));
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
    lines.add(
        "A configuration was rolled out over %,d Nodes, at most %,d unavailable."
            .formatted(nodes, maxUnavailable));
    lines.add("");
    lines.add(line("until every Node was up to date", seconds(time), "s"));
    lines.add(line("Nodes per second", nodes / seconds(time), ""));
    lines.add(line("operator's writes per Node", perNode((double) writes.operator()), ""));
    lines.add(line("without Events", perNode((double) (writes.operator() - operatorEvents())), ""));
    lines.add(line("all writes per Node", perNode((double) writes.total()), ""));
    lines.add(line("writes rejected by the API server", refused, ""));
    lines.add(line("operator's processor time", seconds(operatorProcessorTime()), "s"));
    lines.add(line("operator's peak heap", operatorPeakHeap / MIB, "MiB"));
    lines.add("");
    lines.addAll(writes.lines());
    return lines;
  }
}
