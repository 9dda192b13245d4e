package io.nodepool.bench.measure;

import io.nodepool.bench.report.WriteTable;
import io.nodepool.kubernetes.client.RequestCounts;

/** The writes at one moment, as the API server and each client have counted them. */
public record WriteTotals(
    MetricsText server, MetricsText operator, RequestCounts dataCentre, RequestCounts measuring) {
  /** Reads the current counts. */
  public static WriteTotals now(BenchCluster cluster, OperatorChild operator, BenchFleet fleet) {
    return new WriteTotals(
        cluster.metrics(), operator.metrics(), fleet.writes(), cluster.requests());
  }

  /** The writes between the two moments, by client. */
  public WriteTable writesSince(WriteTotals earlier) {
    return WriteTable.of(
        Writes.ofServer(server).since(Writes.ofServer(earlier.server)),
        Writes.ofOperator(operator).since(Writes.ofOperator(earlier.operator)),
        dataCentre.since(earlier.dataCentre),
        Writes.among(measuring.since(earlier.measuring)));
  }

  /** The operator's lists of Pods so far. */
  public long podLists() {
    return (long)
        operator
            .samples(Writes.OF_OPERATOR)
            .filter(sample -> sample.label("verb").equals("list"))
            .filter(sample -> sample.label("resource").equals("pods"))
            .mapToDouble(MetricsText.Sample::value)
            .sum();
  }

  /** The number of writes that the API server rejected between the two moments. */
  public long refusedSince(WriteTotals earlier) {
    return Writes.refusedByServer(server).since(Writes.refusedByServer(earlier.server)).total();
  }
}
