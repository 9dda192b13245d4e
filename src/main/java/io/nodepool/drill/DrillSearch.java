package io.nodepool.drill;

import io.nodepool.drill.script.ScriptEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Searches a failed run for the cause. */
public final class DrillSearch {
  /** The precision of the time from which the failure is certain. */
  private static final Duration EXACT = Duration.ofSeconds(10);

  private final Scenario scenario;
  private final long seed;
  private final DrillResult.Failure failure;
  private final List<ScriptEvent> script;

  /** Searches the run with this seed, which failed. */
  public DrillSearch(Scenario scenario, DrillResult failed) {
    this.scenario = scenario;
    this.seed = failed.seed();
    this.failure = failed.failure().orElseThrow();
    this.script =
        ScriptEvent.all(scenario.script(), scenario.lasts(), seed).stream()
            .filter(each -> each.at().compareTo(Timeline.since(failure.at())) <= 0)
            .toList();
  }

  /**
   * The part of a script that a failure needs.
   *
   * @param of how many occurrences there were before the failure
   */
  public record Shrunk(List<ScriptEvent> left, int of) {}

  /** All occurrences before the failure. */
  public Shrunk whole() {
    return new Shrunk(script, script.size());
  }

  /** Removes occurrences, as long as the same expectation fails. */
  public Shrunk shrink() {
    List<ScriptEvent> left = new ArrayList<>(script);
    for (int size = Math.max(1, left.size() / 2); size >= 1; size /= 2) {
      for (int from = 0; from < left.size(); ) {
        List<ScriptEvent> fewer = new ArrayList<>(left);
        fewer.subList(from, Math.min(left.size(), from + size)).clear();
        if (fails(fewer, new DrillRun.Fork(scenario.lasts(), 0))) {
          left = fewer;
        } else {
          from += size;
        }
      }
    }
    return new Shrunk(List.copyOf(left), script.size());
  }

  private boolean fails(List<ScriptEvent> some, DrillRun.Fork fork) {
    return DrillRun.play(scenario, seed, some, fork)
        .failure()
        .filter(each -> each.expectation().equals(failure.expectation()))
        .isPresent();
  }

  /**
   * The first time from which the run fails in every order of steps, as far as {@code others} other
   * orders show; at the latest the time of the failure.
   */
  public Duration certainFrom(List<ScriptEvent> some, int others) {
    Duration high = Timeline.since(failure.at());
    if (!isCertain(some, high.minus(EXACT), others)) {
      return high;
    }
    Duration low = Duration.ZERO;
    if (isCertain(some, low.plusMillis(1), others)) {
      return low;
    }
    while (high.minus(low).compareTo(EXACT) > 0) {
      Duration middle = low.plus(high.minus(low).dividedBy(2));
      if (isCertain(some, middle, others)) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return high;
  }

  private boolean isCertain(List<ScriptEvent> some, Duration from, int others) {
    return IntStream.rangeClosed(1, others)
        .parallel()
        .allMatch(number -> fails(some, new DrillRun.Fork(from, number)));
  }
}
