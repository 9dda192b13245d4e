package io.nodepool.bench.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The results of a measurement, as one JSON object and as lines for people. */
public final class BenchReport {
  private static final double MIB = 1024 * 1024;

  private final ObjectNode json = JsonNodeFactory.instance.objectNode();
  private final List<String> lines = new ArrayList<>();
  private boolean right = true;

  /** A report without figures. */
  public BenchReport(String title) {
    lines.add(title);
    lines.add("");
  }

  /** Adds a number to the JSON only. */
  public BenchReport fact(String field, long value) {
    json.put(field, value);
    return this;
  }

  /** Adds a figure, with this number of decimal places in the JSON. */
  public BenchReport figure(String field, double value, int digits, String what, String unit) {
    json.put(field, rounded(value, digits));
    lines.add(String.format(Locale.ROOT, "%-40s %10.2f %s", what, value, unit).stripTrailing());
    return this;
  }

  /** Adds a duration. */
  public BenchReport time(String field, Duration time, String what) {
    return figure(field, seconds(time), 3, what, "s");
  }

  /** Adds a processor time. */
  public BenchReport processorTime(String field, Duration time, String what) {
    return figure(field, seconds(time), 2, what, "s");
  }

  /** Adds a number of writes for each of some Nodes. */
  public BenchReport perNode(String field, long writes, int nodes, String what) {
    return figure(field, (double) writes / nodes, 3, what, "");
  }

  /** Adds a size in bytes. */
  public BenchReport size(String field, double bytes, String what) {
    return figure(field, bytes / MIB, 1, what, "MiB");
  }

  /** Adds a number. */
  public BenchReport count(String field, long value, String what) {
    lines.add(String.format(Locale.ROOT, "%-40s %10d", what, value));
    return fact(field, value);
  }

  /** Adds a truth value to the JSON, and its sentence to the lines. */
  public BenchReport flag(String field, boolean value, String sentence) {
    json.put(field, value);
    lines.add(sentence);
    return this;
  }

  /** Adds errors of the measured processes, in sentences. */
  public BenchReport wrong(String field, List<String> found, String otherwise) {
    found.forEach(json.putArray(field)::add);
    lines.add(found.isEmpty() ? otherwise : "Wrong at the end:");
    found.forEach(each -> lines.add("  " + each));
    right = right && found.isEmpty();
    return this;
  }

  /** Adds the figures of a plain client that sent the same requests. */
  public BenchReport replayed(Measured measured, Replayed raw) {
    return time("rawSeconds", raw.time(), "plain client, same writes")
        .figure("ratio", seconds(measured.time()) / seconds(raw.time()), 2, "ratio of the two", "");
  }

  /** Adds the resources that the processes used, and the rejected writes. */
  public BenchReport used(Measured measured) {
    put("cpuSeconds", measured.processorTimes());
    return count("refusedWrites", measured.refused(), "writes rejected by the API server")
        .processorTime("operatorCpuSeconds", measured.operatorTime(), "operator's processor time")
        .size("operatorPeakHeapMiB", measured.operatorPeakHeap(), "operator's peak heap");
  }

  /** Adds the table of writes, if there are any. */
  public BenchReport writes(String field, WriteTable writes) {
    writes.write(json.putArray(field));
    if (writes.total() > 0) {
      lines.add("");
      lines.addAll(writes.lines());
    }
    return this;
  }

  /** Adds the table of processor times, beside those of a plain client. */
  public BenchReport processors(Measured measured, Replayed raw) {
    put("rawCpuSeconds", raw.processorTimes());
    lines.add("");
    lines.add(row("processor time, s", "measured", "plain", "", ""));
    measured
        .processorTimes()
        .forEach((process, time) -> {
          Duration plain = raw.processorTimes().getOrDefault(process, Duration.ZERO);
          lines.add(row(process, rounded(seconds(time), 2), rounded(seconds(plain), 2), "", ""));
        });
    return this;
  }

  private void put(String field, Map<String, Duration> times) {
    ObjectNode object = json.putObject(field);
    times.forEach((process, time) -> object.put(process, rounded(seconds(time), 2)));
  }

  /** Adds the head of a table of latencies. */
  public BenchReport latencies(String title) {
    lines.add("");
    lines.add(row(title, "changes", "P50 ms", "P99 ms", "max ms"));
    return this;
  }

  /**
   * Adds a row of latencies.
   *
   * @param field the path of its object in the JSON, such as {@code /latencyMillis}
   */
  public BenchReport latency(String field, String what, List<Duration> times) {
    List<Duration> sorted = times.stream().sorted().toList();
    ObjectNode object = json.withObject(field).put("changes", sorted.size());
    object.put("p50", millis(sorted, 50)).put("p99", millis(sorted, 99));
    object.put("max", millis(sorted, 100));
    lines.add(
        row(what, sorted.size(), millis(sorted, 50), millis(sorted, 99), millis(sorted, 100)));
    return this;
  }

  /** A percentile in milliseconds; zero if there are no values. */
  private static double millis(List<Duration> sorted, int percent) {
    return sorted.isEmpty()
        ? 0
        : rounded(sorted.get(Math.ceilDiv(sorted.size() * percent, 100) - 1).toNanos() / 1e6, 1);
  }

  /** The report as one JSON object on one line. */
  public String json() {
    return json.toString();
  }

  /** The report for people. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  /** Whether the measured processes also behaved correctly. */
  public boolean isRight() {
    return right;
  }

  /** A row of a table with four figures. */
  static String row(Object kind, Object a, Object b, Object c, Object all) {
    return String.format(Locale.ROOT, "%-30s %12s %12s %12s %12s", kind, a, b, c, all)
        .stripTrailing();
  }

  /** A duration in seconds. */
  public static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }

  /** A figure without insignificant digits; 0 if it is not a finite number. */
  private static double rounded(double value, int digits) {
    return Double.isFinite(value)
        ? new BigDecimal(value).setScale(digits, RoundingMode.HALF_UP).doubleValue()
        : 0;
  }
}
