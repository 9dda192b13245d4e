package io.nodepool.bench.repair;

import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.report.Measured;
import io.nodepool.bench.report.WriteTable;
import java.time.Duration;
import java.util.List;

/**
 * The time of a repair, and of the cordons of Nodes. Pure.
 *
 * @param nodes of the pool
 * @param repair of one idle Node, from the alert until the Node is uncordoned again
 * @param single from the answer to the report of an alert until a watch shows the cordon, one Node
 *     after the other
 * @param burst the same for many Nodes within four seconds
 */
record RepairFigures(int nodes, Measured repair, List<Duration> single, List<Duration> burst) {
  RepairFigures {
    single = List.copyOf(single);
    burst = List.copyOf(burst);
  }

  /** The report. */
  BenchReport report() {
    WriteTable writes = repair.writes();
    return new BenchReport(
            "One Node of %,d was repaired by a reboot, then %,d and %,d were cordoned for alerts."
                .formatted(nodes, single.size(), burst.size()))
        .fact("nodes", nodes)
        .time("repairSeconds", repair.time(), "from the alert until the Node is back")
        .count("repairWrites", writes.operator(), "operator's writes for it")
        .count(
            "repairWritesWithoutEvents",
            writes.operator() - writes.operator(WriteTable.EVENTS),
            "without Events")
        .used(repair)
        .latencies("from an alert to the cordon")
        .latency("/singleMillis", "one after the other", single)
        .latency("/burstMillis", "within four seconds", burst)
        .writes("writes", writes);
  }
}
