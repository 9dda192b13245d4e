package io.nodepool.bench.report;

import com.fasterxml.jackson.databind.node.ArrayNode;
import io.nodepool.kubernetes.client.RequestCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The writes by kind and client, the most frequent kind first. Pure.
 *
 * @param rows one for each kind, without the writes of the measurement itself
 */
public record WriteTable(List<Row> rows) {
  /** The suffix of the kinds that are Events. */
  public static final String EVENTS = " events";

  /**
   * One kind of write.
   *
   * @param kind verb and resource, such as {@code patch nodes/status}
   * @param controlPlane the writes of other clients: the controllers and the scheduler of
   *     Kubernetes
   */
  public record Row(String kind, long operator, long dataCentre, long controlPlane) {
    long total() {
      return operator + dataCentre + controlPlane;
    }
  }

  public WriteTable {
    rows = List.copyOf(rows);
  }

  /**
   * The table of a period.
   *
   * @param server the writes that the API server counted
   * @param measuring the writes of the measurement itself
   */
  public static WriteTable of(
      RequestCounts server,
      RequestCounts operator,
      RequestCounts dataCentre,
      RequestCounts measuring) {
    TreeSet<String> kinds = new TreeSet<>(server.byKind().keySet());
    kinds.addAll(operator.byKind().keySet());
    kinds.addAll(dataCentre.byKind().keySet());
    List<Row> rows = new ArrayList<>();
    for (String kind : kinds) {
      long others = server.of(kind) - operator.of(kind) - dataCentre.of(kind) - measuring.of(kind);
      Row row = new Row(kind, operator.of(kind), dataCentre.of(kind), Math.max(0, others));
      if (row.total() > 0) {
        rows.add(row);
      }
    }
    rows.sort(java.util.Comparator.comparingLong(Row::total).reversed().thenComparing(Row::kind));
    return new WriteTable(rows);
  }

  /** All writes, by kind. */
  public RequestCounts all() {
    java.util.TreeMap<String, Long> counts = new java.util.TreeMap<>();
    rows.forEach(row -> counts.put(row.kind(), row.total()));
    return new RequestCounts(counts);
  }

  /** The operator's writes of the kinds with this suffix. */
  public long operator(String kind) {
    return rows.stream().filter(row -> row.kind().endsWith(kind)).mapToLong(Row::operator).sum();
  }

  /** The sum of all rows. */
  Row sum() {
    return new Row(
        "all",
        rows.stream().mapToLong(Row::operator).sum(),
        rows.stream().mapToLong(Row::dataCentre).sum(),
        rows.stream().mapToLong(Row::controlPlane).sum());
  }

  /** The operator's writes. */
  public long operator() {
    return sum().operator();
  }

  /** The writes of all clients. */
  public long total() {
    return sum().total();
  }

  /** Writes the rows as JSON objects. */
  void write(ArrayNode to) {
    for (Row row : rows) {
      to.addObject()
          .put("kind", row.kind())
          .put("operator", row.operator())
          .put("dataCentre", row.dataCentre())
          .put("controlPlane", row.controlPlane());
    }
  }

  /** The table for people, with its sum. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(BenchReport.row("writes", "operator", "data centre", "Kubernetes", "all"));
    Stream.concat(rows.stream(), Stream.of(sum()))
        .map(row ->
            BenchReport.row(
                row.kind(), row.operator(), row.dataCentre(), row.controlPlane(), row.total()))
        .forEach(lines::add);
    return lines;
  }
}
