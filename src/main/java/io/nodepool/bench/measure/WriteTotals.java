package io.nodepool.bench.measure;

import io.nodepool.bench.BenchCluster;
import io.nodepool.bench.BenchFleet;
import io.nodepool.bench.OperatorChild;
import io.nodepool.bench.report.WriteTable;
import io.nodepool.kubernetes.client.RequestCounts;

/** All writes counted so far, at one moment, by those who count them. */
public record WriteTotals(
    MetricsText server, RequestCounts operator, RequestCounts dataCentre, RequestCounts measuring) {
  /** What is counted now. */
  public static WriteTotals now(BenchCluster cluster, OperatorChild operator, BenchFleet fleet) {
    return new WriteTotals(
        cluster.metrics(), operator.writes(), fleet.writes(), cluster.requests());
  }

  /** Who wrote what between the two moments. */
  public WriteTable writesSince(WriteTotals earlier) {
    return WriteTable.of(
        Writes.ofServer(server).since(Writes.ofServer(earlier.server)),
        operator.since(earlier.operator),
        dataCentre.since(earlier.dataCentre),
        Writes.among(measuring.since(earlier.measuring)));
  }

  /** How many writes the API server refused between the two moments. */
  public long refusedSince(WriteTotals earlier) {
    return Writes.refusedByServer(server).since(Writes.refusedByServer(earlier.server)).total();
  }
}
