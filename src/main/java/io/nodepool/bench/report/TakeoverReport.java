package io.nodepool.bench.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The results of two take-overs in the middle of a growth. Pure.
 *
 * @param nodes the number of Nodes that the pool grew by in each of the two growths
 * @param afterKill from SIGKILL to the first write of the waiting replica
 * @param afterStop from SIGTERM to the same
 * @param leaseGivenBack whether the replica that got SIGTERM released its Lease
 * @param doubled what was duplicated or missing at the end, in sentences; empty if nothing was
 */
public record TakeoverReport(
    int nodes,
    Duration afterKill,
    Duration afterStop,
    boolean leaseGivenBack,
    List<String> doubled) {
  public TakeoverReport {
    doubled = List.copyOf(doubled);
  }

  /** The report as one JSON object on one line. */
  public String json() {
    ObjectNode report = JsonNodeFactory.instance.objectNode();
    report.put("nodes", nodes);
    report.put("killSeconds", seconds(afterKill));
    report.put("stopSeconds", seconds(afterStop));
    report.put("leaseGivenBack", leaseGivenBack);
    var found = report.putArray("doubledOrMissing");
    doubled.forEach(found::add);
    return report.toString();
  }

  /** The report for people. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        "At half of a growth by %,d Nodes another replica took over, twice.".formatted(nodes));
    lines.add("");
    lines.add(line("SIGKILL, until the other replica wrote", afterKill));
    lines.add(line("SIGTERM, until the other replica wrote", afterStop));
    lines.add(
        "The replica that got SIGTERM %s its Lease."
            .formatted(leaseGivenBack ? "released" : "did not release"));
    lines.add(doubled.isEmpty() ? "Nothing is duplicated or missing." : "Wrong at the end:");
    doubled.forEach(each -> lines.add("  " + each));
    return lines;
  }

  private static String line(String what, Duration time) {
    return String.format(Locale.ROOT, "%-42s %8.2f s", what, seconds(time));
  }

  private static double seconds(Duration time) {
    return new BigDecimal(time.toNanos() / 1e9).setScale(3, RoundingMode.HALF_UP).doubleValue();
  }
}
