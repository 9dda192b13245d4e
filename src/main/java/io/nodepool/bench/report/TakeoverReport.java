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
 * How another replica took over in the middle of a growth. Pure.
 *
 * @param nodes how many Nodes the pool grew by in each of the two growths
 * @param afterKill from SIGKILL to the first write of the replica that waited
 * @param afterStop from SIGTERM to the same
 * @param leaseGivenBack whether the one that was told to stop gave its Lease back
 * @param doubled what was found to be doubled or missing at the end, in sentences; empty is right
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
    lines.add(line("killed, until the other one wrote", afterKill));
    lines.add(line("told to stop, until the other one wrote", afterStop));
    lines.add(
        "The one that was told to stop %s its Lease back."
            .formatted(leaseGivenBack ? "gave" : "did not give"));
    lines.add(doubled.isEmpty() ? "Nothing is doubled, nothing is missing." : "Wrong at the end:");
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
