package io.nodepool.cli.bench;

import io.nodepool.kubernetes.RequestCounts;

/** All writes counted so far, at one moment, by those who count them. */
record WriteTotals(
    MetricsText server, RequestCounts operator, RequestCounts dataCentre, RequestCounts measuring) {
  /** What is counted now. */
  static WriteTotals now(BenchCluster cluster, OperatorChild operator, BenchFleet fleet) {
    return new WriteTotals(
        cluster.metrics(), operator.writes(), fleet.writes(), cluster.requests());
  }

  /** Who wrote what between the two moments. */
  WriteTable writesSince(WriteTotals earlier) {
    return WriteTable.of(
        Writes.ofServer(server).since(Writes.ofServer(earlier.server)),
        operator.since(earlier.operator),
        dataCentre.since(earlier.dataCentre),
        Writes.among(measuring.since(earlier.measuring)));
  }

  /** How many writes the API server refused between the two moments. */
  long refusedSince(WriteTotals earlier) {
    return Writes.refusedByServer(server).since(Writes.refusedByServer(earlier.server)).total();
  }
}
