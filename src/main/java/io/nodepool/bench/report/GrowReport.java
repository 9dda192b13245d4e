package io.nodepool.bench.report;

import static io.nodepool.bench.report.ReportFormat.line;
import static io.nodepool.bench.report.ReportFormat.rounded;
import static io.nodepool.bench.report.ReportFormat.row;
import static io.nodepool.bench.report.ReportFormat.seconds;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The results of a growth. Pure.
 *
 * @param nodes the number of Nodes that the pool grew by
 * @param times the durations
 * @param writes all writes from the pool's creation until the cluster was at rest
 * @param refused the number of these that the API server rejected
 * @param rest the period of rest after the growth
 * @param use the resources that the processes used
 */
public record GrowReport(
    int nodes, Times times, WriteTable writes, long refused, Rest rest, Use use) {
  /**
   * The durations of a growth.
   *
   * @param growth from the pool's creation until its status reported TargetMet with all Nodes Ready
   * @param settled from the pool's creation until no Node had the taint that Kubernetes sets on a
   *     new Node
   * @param raw the time of a plain client for the same writes
   */
  public record Times(Duration growth, Duration settled, Duration raw) {}

  /**
   * A period of rest.
   *
   * @param writes the writes in it, without those to Leases
   * @param time its length
   */
  public record Rest(long writes, Duration time) {}

  /**
   * The resources that the processes used.
   *
   * @param processorTimes processor time during the growth, by process
   * @param rawProcessorTimes the same for the plain client's writes
   * @param operatorPeakHeap the sum of the highest use of each pool of the operator's heap, in
   *     bytes
   */
  public record Use(
      Map<String, Duration> processorTimes,
      Map<String, Duration> rawProcessorTimes,
      double operatorPeakHeap) {
    public Use {
      processorTimes = java.util.Collections.unmodifiableMap(new TreeMap<>(processorTimes));
      rawProcessorTimes = java.util.Collections.unmodifiableMap(new TreeMap<>(rawProcessorTimes));
    }
  }

  /** The name of the operator's process among the processor times. */
  public static final String OPERATOR = "operator";

  private static final double MIB = 1024 * 1024;

  private double ratio() {
    return seconds(times.growth()) / seconds(times.raw());
  }

  private double operatorWritesPerNode() {
    return (double) writes.operator() / nodes;
  }

  private double writesPerNode() {
    return (double) writes.total() / nodes;
  }

  private Duration operatorProcessorTime() {
    return use.processorTimes().getOrDefault(OPERATOR, Duration.ZERO);
  }

  /** The report as one JSON object on one line. */
  public String json() {
    ObjectNode report = JsonNodeFactory.instance.objectNode();
    report.put("nodes", nodes);
    report.put("seconds", rounded(seconds(times.growth()), 3));
    report.put("rawSeconds", rounded(seconds(times.raw()), 3));
    report.put("operatorWritesPerNode", rounded(operatorWritesPerNode(), 3));
    report.put("writesPerNode", rounded(writesPerNode(), 3));
    report.put("idleWrites", rest.writes());
    report.put("operatorCpuSeconds", rounded(seconds(operatorProcessorTime()), 2));
    report.put("operatorPeakHeapMiB", rounded(use.operatorPeakHeap() / MIB, 1));
    report.put("ratio", rounded(ratio(), 2));
    report.put("settledSeconds", rounded(seconds(times.settled()), 3));
    report.put("restSeconds", rest.time().toSeconds());
    report.put("refusedWrites", refused);
    put(report.putObject("cpuSeconds"), use.processorTimes());
    put(report.putObject("rawCpuSeconds"), use.rawProcessorTimes());
    writes.write(report.putArray("writes"));
    return report.toString();
  }

  private static void put(ObjectNode object, Map<String, Duration> times) {
    times.forEach((process, time) -> object.put(process, rounded(seconds(time), 2)));
  }

  /** The report for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add("A pool grew by %,d Nodes.".formatted(nodes));
    lines.add("");
    lines.add(line("until all Ready and TargetMet", seconds(times.growth()), "s"));
    lines.add(line("plain client, same writes", seconds(times.raw()), "s"));
    lines.add(line("ratio of the two", ratio(), ""));
    lines.add(line("until Kubernetes removed all taints", seconds(times.settled()), "s"));
    lines.add(line("operator's writes per Node", operatorWritesPerNode(), ""));
    lines.add(line("all writes per Node", writesPerNode(), ""));
    lines.add(line("writes rejected by the API server", refused, ""));
    lines.add(line("writes in %d s of rest".formatted(rest.time().toSeconds()), rest.writes(), ""));
    lines.add(line("operator's processor time", seconds(operatorProcessorTime()), "s"));
    lines.add(line("operator's peak heap", use.operatorPeakHeap() / MIB, "MiB"));
    lines.add("");
    lines.addAll(writes.lines());
    lines.add("");
    lines.add(row("processor time, s", "growth", "plain", "", ""));
    use.processorTimes()
        .forEach((process, time) -> {
          Duration plain = use.rawProcessorTimes().getOrDefault(process, Duration.ZERO);
          lines.add(row(process, rounded(seconds(time), 2), rounded(seconds(plain), 2), "", ""));
        });
    return lines;
  }
}
