package io.nodepool.control;

import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.MachineEntry;
import io.nodepool.fleet.HostOperation;
import io.nodepool.plan.Action;
import io.nodepool.plan.ActionText;
import io.nodepool.plan.EndedCause;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.vocabulary.DisruptionOutcome;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs each decision about a Node's disruption in one line, with its pool and the reason. Lines
 * about a preemption contain the word "preempt" (seed 004). Other actions are details.
 */
final class DecisionLog {
  private static final Logger log = LoggerFactory.getLogger(DecisionLog.class);

  private DecisionLog() {}

  static void log(PlannedAction plannedAction, ClusterState state) {
    Action action = plannedAction.action();
    // The deletion of a preempted Node is a decision; the deletion of another Node is a detail.
    boolean isDetail =
        action instanceof Action.DeleteNode
            && plannedAction.ended().stream().noneMatch(DecisionLog::isAnnounced);
    Optional<String> decision = action.traits().decision();
    if (isDetail || decision.isEmpty()) {
      log.debug("{}: {}", ActionText.of(action), plannedAction.why());
      return;
    }
    String node = action.subject().text();
    log.info(
        "{}Node {} {}: {}",
        pool(action, state).map("pool %s: "::formatted).orElse(""),
        node,
        decision.get(),
        plannedAction.why());
  }

  /**
   * The name of the object's pool; empty if neither the Host's assignment nor the Node names one.
   */
  private static Optional<String> pool(Action action, ClusterState state) {
    return action instanceof Action.OnHost(HostOperation operation)
        ? Optional.of(operation.pool().name())
        : state.machine(action.subject().text()).flatMap(MachineEntry::poolName);
  }

  /** Whether Events announce the drain for this cause, and the end of the drain. */
  private static boolean isAnnounced(EndedCause end) {
    return end.outcome() != DisruptionOutcome.SUPERSEDED
        && ((KnownCause) end.cause()).kind().progressLabel().isPresent();
  }
}
