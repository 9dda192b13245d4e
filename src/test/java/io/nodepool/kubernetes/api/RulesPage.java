package io.nodepool.kubernetes.api;

import static io.nodepool.kubernetes.api.Markdown.code;
import static io.nodepool.kubernetes.api.Markdown.row;

import io.nodepool.deploy.MonitoringRules;
import io.nodepool.deploy.MonitoringRules.Rule;
import java.util.List;
import java.util.function.Function;

/** The rules for Prometheus. */
final class RulesPage {
  private RulesPage() {}

  static String text() {
    return new Markdown("Rules for Prometheus")
        .paragraph(
            "Of `deploy/monitoring/rules.yaml`, which the chart has as a PrometheusRule ([`monitoring.rules.enabled`](../install.md#helm)). The expressions are"
                + " about [these metrics](metrics.md).")
        .heading("Alerts")
        .table(
            row("Alert", "Severity", "For", "Expression", "Summary", "What to do"),
            rows(
                true,
                rule ->
                    row(
                        code(rule.name()),
                        rule.alert().severity(),
                        rule.delay().isEmpty() ? "at once" : rule.delay(),
                        code(rule.expression()),
                        rule.alert().summary(),
                        link(rule.alert().runbook()))))
        .heading("Records")
        .table(
            row("Record", "Expression"),
            rows(false, rule -> row(code(rule.name()), code(rule.expression()))))
        .text();
  }

  private static List<List<String>> rows(boolean alerts, Function<Rule, List<String>> cells) {
    return MonitoringRules.all().stream()
        .filter(rule -> rule.isAlert() == alerts)
        .map(cells)
        .toList();
  }

  private static String link(String runbook) {
    String page = runbook.replace("docs/", "");
    return "[%s](../%s)".formatted(page, page);
  }
}
