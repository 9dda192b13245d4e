package io.nodepool.plan;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a machine's planner found.
 *
 * @param steps what the machine does now, each about another object; empty when it has nothing to
 *     do
 * @param wakeup when to look again even if nothing happens
 */
public record MachinePlan(List<Step> steps, Optional<Instant> wakeup) {
  /** Nothing to do until something happens. */
  static final MachinePlan NOTHING = new MachinePlan(List.of(), Optional.empty());

  public MachinePlan {
    steps = List.copyOf(steps);
  }

  static MachinePlan of(Optional<Step> step) {
    return new MachinePlan(step.stream().toList(), Optional.empty());
  }

  static MachinePlan of(Step step) {
    return new MachinePlan(List.of(step), Optional.empty());
  }

  static MachinePlan waiting(Instant until) {
    return new MachinePlan(List.of(), Optional.of(until));
  }

  /** This plan, looked at again at this time too. */
  MachinePlan or(Optional<Instant> earlier) {
    return new MachinePlan(
        steps, Stream.concat(wakeup.stream(), earlier.stream()).min(Instant::compareTo));
  }
}
