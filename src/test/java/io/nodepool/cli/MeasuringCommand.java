package io.nodepool.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.io.StringWriter;

/** Runs measurements and reads their reports. */
abstract class MeasuringCommand {
  final StringWriter out = new StringWriter();
  final StringWriter err = new StringWriter();

  final int run(String... arguments) {
    return Main.run(new PrintWriter(out, true), new PrintWriter(err, true), arguments);
  }

  static int operator(JsonNode report, String kind) {
    return row(report, kind).path("operator").asInt();
  }

  static JsonNode row(JsonNode report, String kind) {
    for (JsonNode row : report.path("writes")) {
      if (row.path("kind").asText().equals(kind)) {
        return row;
      }
    }
    throw new AssertionError("no row " + kind + " in " + report);
  }
}
