package io.nodepool.conformance;

import io.nodepool.conformance.ConformanceCheck.Outcome;
import io.nodepool.conformance.ConformanceCheck.Rule;
import io.nodepool.conformance.ConformanceCheck.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The outcomes of all checks in one run.
 *
 * @param hosts names of the tested Hosts
 */
public record ConformanceReport(List<String> hosts, Duration took, List<Outcome> outcomes) {
  public ConformanceReport {
    hosts = List.copyOf(hosts);
    outcomes = List.copyOf(outcomes);
  }

  /** Judges a history by all checks. */
  public static ConformanceReport of(History history, List<String> hosts, Duration took) {
    return new ConformanceReport(
        hosts, took, ConformanceChecks.all().stream().map(each -> each.outcome(history)).toList());
  }

  /** The number of checks with this verdict. */
  public long count(Verdict verdict) {
    return outcomes.stream().filter(each -> each.verdict() == verdict).count();
  }

  /** The lines for a terminal. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    for (Outcome each : outcomes) {
      Rule rule = each.rule();
      switch (each.verdict()) {
        case PASSED -> lines.add("passed   %-20s %d cases".formatted(rule.name(), each.cases()));
        case SKIPPED ->
            lines.add("skipped  %-20s %s".formatted(rule.name(), each.seen().getFirst()));
        case FAILED -> {
          lines.add(
              "FAILED   %-20s %d of %d cases. %s (docs/%s)"
                  .formatted(rule.name(), each.wrong(), each.cases(), rule.text(), rule.page()));
          each.seen().forEach(seen -> lines.add("         " + seen));
        }
      }
    }
    lines.add(
        "%s, %d s: %d checks passed, %d failed, %d skipped."
            .formatted(
                String.join(", ", hosts),
                took.toSeconds(),
                count(Verdict.PASSED),
                count(Verdict.FAILED),
                count(Verdict.SKIPPED)));
    return lines;
  }
}
