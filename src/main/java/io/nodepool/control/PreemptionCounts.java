package io.nodepool.control;

import io.nodepool.plan.PreemptionOutcome;
import java.util.Optional;

/**
 * How many preemptions ended since this process started, by outcome.
 *
 * @param drained preemptions whose Node was drained in time
 * @param cutOff preemptions whose end cut Pods off
 * @param podsCutOff the Pods that were cut off
 */
public record PreemptionCounts(int drained, int cutOff, int podsCutOff) {
  /** None ended. */
  public static final PreemptionCounts NONE = new PreemptionCounts(0, 0, 0);

  /** With another one, if one ended. */
  PreemptionCounts plus(Optional<PreemptionOutcome> outcome) {
    return outcome
        .map(end ->
            end.podsCutOff() == 0
                ? new PreemptionCounts(drained + 1, cutOff, podsCutOff)
                : new PreemptionCounts(drained, cutOff + 1, podsCutOff + end.podsCutOff()))
        .orElse(this);
  }
}
