package io.nodepool.drill;

import io.nodepool.drill.script.ScriptEvent;
import io.nodepool.drill.workload.WorkloadFigures;
import io.nodepool.plan.Messages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The text of drills for people. */
public final class DrillText {
  private static final int MOST_FAILURES = 5;
  private static final int BEFORE = 6;

  private DrillText() {}

  /** The timeline of a run, then the results of workloads and machines. */
  public static List<String> timeline(DrillResult result) {
    List<String> lines = new ArrayList<>(result.timeline().stream().map(DrillText::line).toList());
    lines.add("");
    if (!result.workloads().isEmpty()) {
      lines.add(
          "%-28s %6s %7s %7s %9s %6s %8s %8s %6s"
              .formatted(
                  "WORKLOAD",
                  "WANTED",
                  "RUNNING",
                  "PENDING",
                  "COMPLETED",
                  "ENDED",
                  "LOST",
                  "WAITED",
                  "SHARE"));
      result.workloads().forEach((name, each) -> lines.add(row(name, each)));
      lines.add("");
    }
    lines.add("machines  " + counts(result.machines()));
    lines.add("totals    " + counts(result.totals()));
    result
        .boots()
        .forEach((why, count) ->
            lines.add(
                "booted    %s %s"
                    .formatted(
                        Messages.count(count, "time"), why.isEmpty() ? "for no cause" : why)));
    return lines;
  }

  private static String line(DrillResult.Line line) {
    return Timeline.at(line.at()) + "  " + line.text();
  }

  private static String row(String name, WorkloadFigures each) {
    return "%-28s %6d %7d %7d %9d %6d %8s %8s %5.1f%%"
        .formatted(
            name,
            each.wanted(),
            each.running(),
            each.pending(),
            each.completed(),
            each.ended(),
            Messages.duration(each.lost()),
            Messages.duration(each.waited()),
            each.share() * 100);
  }

  private static String counts(Map<String, Object> counts) {
    return String.join(
        ", ",
        counts.entrySet().stream().map(each -> each.getKey() + " " + each.getValue()).toList());
  }

  /**
   * Which runs failed, and how many passed.
   *
   * @param command the command that played them, without a seed
   */
  public static List<String> verdict(List<DrillResult> results, Duration took, String command) {
    List<DrillResult> failed = results.stream().filter(each -> each.failure().isPresent()).toList();
    Stream<String> failures =
        failed.stream()
            .limit(MOST_FAILURES)
            .flatMap(each ->
                Stream.of(
                    failure(each, each.failure().orElseThrow()),
                    "  played again by: %s --seed %d".formatted(command, each.seed())));
    Stream<String> more =
        failed.size() > MOST_FAILURES
            ? Stream.of("and %d more".formatted(failed.size() - MOST_FAILURES))
            : Stream.empty();
    return Stream.of(
            failures,
            more,
            Stream.of(
                "%d passed, %d failed; %.1f s"
                    .formatted(
                        results.size() - failed.size(), failed.size(), took.toMillis() / 1000.0)))
        .flatMap(each -> each)
        .toList();
  }

  /** How a run failed. */
  public static String failure(DrillResult result, DrillResult.Failure failure) {
    return "FAIL seed %d at %s (%d steps): %s"
        .formatted(result.seed(), Timeline.at(failure.at()), result.steps(), failure.why());
  }

  /** Which entries of the script a failure needs. */
  public static List<String> shrunk(Scenario scenario, DrillSearch.Shrunk shrunk) {
    List<String> lines = new ArrayList<>();
    lines.add(
        "%d of %d entries of the script matter%s"
            .formatted(shrunk.left().size(), shrunk.of(), shrunk.left().isEmpty() ? "." : ":"));
    for (ScriptEvent each : shrunk.left()) {
      lines.add(
          "  %s  %s".formatted(Timeline.at(each.at()), scenario.script().get(each.entry()).text()));
    }
    return lines;
  }

  /** From when on a failure is certain, and what happened last before. */
  public static List<String> cause(DrillResult failed, Duration from, int others) {
    List<String> before =
        failed.timeline().stream()
            .filter(line -> Timeline.since(line.at()).compareTo(from) <= 0)
            .map(DrillText::line)
            .toList();
    List<String> lines = new ArrayList<>();
    lines.add(
        "From %s on, all of %d other courses fail too; before:"
            .formatted(Timeline.at(from), others));
    before.stream()
        .skip(Math.max(0, before.size() - BEFORE))
        .map(line -> "  " + line)
        .forEach(lines::add);
    return lines;
  }
}
