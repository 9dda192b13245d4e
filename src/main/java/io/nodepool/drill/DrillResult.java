package io.nodepool.drill;

import io.nodepool.drill.workload.WorkloadFigures;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The result of one run of a drill.
 *
 * @param failure the first expectation that did not hold; empty if all held
 * @param steps how many steps the world took
 * @param timeline what happened, in order
 * @param workloads the results of workloads, by Namespace and name
 * @param machines how many machines are in which state at the end
 * @param totals how often each thing happened
 * @param boots how often machines booted anew, by reason; empty text if the Node recorded none
 */
public record DrillResult(
    long seed,
    Optional<Failure> failure,
    long steps,
    List<Line> timeline,
    SortedMap<String, WorkloadFigures> workloads,
    Map<String, Object> machines,
    Map<String, Object> totals,
    SortedMap<String, Integer> boots) {
  /** A line of the timeline, for people. */
  public record Line(Instant at, String text) {}

  /**
   * An expectation that did not hold.
   *
   * @param expectation its text
   * @param why its text, and why it could not be evaluated, if so
   */
  public record Failure(Instant at, String expectation, String why) {}
}
