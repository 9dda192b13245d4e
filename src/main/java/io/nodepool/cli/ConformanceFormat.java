package io.nodepool.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.cli.command.JunitReport;
import io.nodepool.conformance.ConformanceCheck.Outcome;
import io.nodepool.conformance.ConformanceCheck.Verdict;
import io.nodepool.conformance.ConformanceReport;
import java.util.Locale;
import java.util.Optional;

/** The formats of a report about a fleet. */
enum ConformanceFormat {
  TEXT,
  JSON,
  JUNIT;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** A report in this format. */
  String of(ConformanceReport report) {
    return switch (this) {
      case TEXT -> String.join("\n", report.lines());
      case JSON -> json(report);
      case JUNIT -> junit(report);
    };
  }

  private static String json(ConformanceReport tested) {
    ObjectNode report = MAPPER.createObjectNode();
    report.put("seconds", tested.took().toSeconds());
    tested.hosts().forEach(report.putArray("hosts")::add);
    for (Verdict verdict : Verdict.values()) {
      report.put(word(verdict), tested.count(verdict));
    }
    ArrayNode checks = report.putArray("checks");
    for (Outcome each : tested.outcomes()) {
      ObjectNode check = checks.addObject();
      check.put("name", each.rule().name()).put("rule", each.rule().text());
      check.put("page", each.rule().page()).put("outcome", word(each.verdict()));
      check.put("cases", each.cases()).put("wrong", each.wrong());
      each.seen().forEach(check.putArray("seen")::add);
    }
    return report.toPrettyString();
  }

  private static String junit(ConformanceReport report) {
    return new JunitReport(
            "nodepool conformance",
            "nodepool.conformance",
            report.took(),
            report.outcomes().stream()
                .map(each -> new JunitReport.Case(each.rule().name(), problem(each)))
                .toList())
        .xml();
  }

  private static Optional<JunitReport.Problem> problem(Outcome outcome) {
    return switch (outcome.verdict()) {
      case PASSED -> Optional.empty();
      case FAILED ->
          Optional.of(
              new JunitReport.Problem(
                  JunitReport.Kind.FAILURE,
                  outcome.rule().text(),
                  String.join("\n", outcome.seen())));
      case SKIPPED ->
          Optional.of(
              new JunitReport.Problem(JunitReport.Kind.SKIPPED, outcome.seen().getFirst(), ""));
    };
  }

  private static String word(Verdict verdict) {
    return verdict.name().toLowerCase(Locale.ROOT);
  }
}
