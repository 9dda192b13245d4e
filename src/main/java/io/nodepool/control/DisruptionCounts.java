package io.nodepool.control;

import io.nodepool.control.state.ClusterState;
import io.nodepool.fleet.BootRequest;
import io.nodepool.plan.Action;
import io.nodepool.plan.EndedCause;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.DisruptionOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The number of disruptions of Nodes that ended since this process started, by cause and outcome.
 * Read on any thread.
 */
public final class DisruptionCounts {
  /** The disruptions for a cause that ended in an outcome. */
  public record Kind(String cause, DisruptionOutcome outcome) {}

  private final Map<Kind, Long> ended = new ConcurrentHashMap<>();
  private final Map<String, Long> podsCutOff = new ConcurrentHashMap<>();
  private volatile Listener listener = (_, _, _, _) -> {};

  /** Receives each disruption that was carried out. */
  public interface Listener {
    /**
     * A disruption was carried out.
     *
     * @param poolUid UID of the pool that holds the machine; empty text if none does
     * @param boot the last request to boot the machine anew, if it had one
     */
    void carriedOut(String poolUid, EndedCause end, Duration took, Optional<BootRequest> boot);
  }

  /** The causes that end with an action, by the record that the action was planned on. */
  static List<EndedCause> ending(PlannedAction plannedAction, ClusterState state) {
    if (!(plannedAction.action() instanceof Action.WriteNode write)) {
      return plannedAction.ended();
    }
    return state
        .machine(write.node())
        .map(machine -> EndedCause.by(write, machine.disruption(write.nodeUid())))
        .orElse(List.of());
  }

  /** Sets the listener; there is at most one. */
  public void onCarriedOut(Listener next) {
    listener = next;
  }

  /**
   * Counts a disruption that ended now.
   *
   * @param poolUid UID of the pool that holds the machine; empty text if none does
   * @param boot the last request to boot the machine anew, if it had one
   */
  public void add(String poolUid, EndedCause end, Optional<BootRequest> boot, Instant now) {
    String cause = end.cause().word();
    switch (end.outcome()) {
      case COMPLETED, CUT_OFF ->
          listener.carriedOut(poolUid, end, Duration.between(end.since(), now), boot);
      case FAILED, SUPERSEDED, WITHDRAWN -> {}
    }
    ended.merge(new Kind(cause, end.outcome()), 1L, Long::sum);
    podsCutOff.merge(cause, (long) end.podsCutOff(), Long::sum);
  }

  /** The number of ended disruptions by kind, without zeros. */
  public Map<Kind, Long> ended() {
    return Map.copyOf(ended);
  }

  /** The ended disruptions of a kind. */
  public long ended(String cause, DisruptionOutcome outcome) {
    return ended.getOrDefault(new Kind(cause, outcome), 0L);
  }

  /** The number of Pods that were cut off when Nodes left for this cause. */
  public long podsCutOff(String cause) {
    return podsCutOff.getOrDefault(cause, 0L);
  }
}
