package io.nodepool.control;

import io.nodepool.control.state.ClusterState;
import io.nodepool.control.state.MachineEntry;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Disruption;
import io.nodepool.plan.Action;
import io.nodepool.plan.PlannedAction;
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

  /** A decision about a Node. */
  private record Decision(String node, String what) {}

  static void log(PlannedAction plannedAction, ClusterState state) {
    Optional<Decision> decision = decision(plannedAction);
    if (decision.isEmpty()) {
      log.debug("{}: {}", plannedAction.action(), plannedAction.why());
      return;
    }
    String node = decision.get().node();
    MachineEntry machine = state.machines().find(node);
    log.info(
        "pool {}: Node {} {}: {}",
        machine == null ? "" : machine.holder().orElse(""),
        node,
        decision.get().what(),
        plannedAction.why());
  }

  private static Optional<Decision> decision(PlannedAction plannedAction) {
    return switch (plannedAction.action()) {
      case Action.RecordDisruption record ->
          of(record).map(what -> new Decision(record.node(), what));
      case Action.CommitDisruption commit -> Optional.of(new Decision(commit.node(), "is drained"));
      case Action.OnHost(HostOperation.Boot boot) ->
          Optional.of(new Decision(boot.host().name(), "is rebooted"));
      case Action.OnHost(HostOperation.DropBoot drop) ->
          Optional.of(new Decision(drop.host().name(), "is not rebooted"));
      case Action.OnHost(HostOperation.Stage stage) ->
          Optional.of(new Decision(stage.host().name(), "is to boot " + stage.configuration()));
      case Action.OnHost(HostOperation.Stop stop) ->
          Optional.of(new Decision(stop.host().name(), "loses its machine"));
      case Action.OnHost(HostOperation.Excuse excuse) ->
          Optional.of(new Decision(excuse.host().name(), "is not blamed any more"));
      case Action.DeleteNode(String node, String _) when plannedAction.outcome().isPresent() ->
          Optional.of(new Decision(node, "is deleted"));
      case Action.OnHost _,
          Action.ReportNode _,
          Action.ReportRemoval _,
          Action.ReportLifecycle _,
          Action.ListPods _,
          Action.LookAtMachine _,
          Action.EvictPod _,
          Action.DeletePod _,
          Action.ApplyMetadata _,
          Action.DeleteNode _,
          Action.LabelNamespace _,
          Action.RelabelNamespace _,
          Action.AskLabelAuthor _,
          Action.AskRequestTimes _,
          Action.DropRebootPolicy _,
          Action.PublishStatus _,
          Action.AcceptCommand _,
          Action.Confirm _,
          Action.ConfirmEmpty _ ->
          Optional.empty();
    };
  }

  private static Optional<String> of(Action.RecordDisruption record) {
    boolean leaves =
        record.next().flatMap(Disruption::active).filter(Disruption.Active::leaves).isPresent();
    return switch (record.change()) {
      case ADMIT -> Optional.of(leaves ? "is to leave" : "is to be rebooted");
      case UPDATE ->
          Optional.of(leaves ? "is to leave for other causes" : "is still to be rebooted");
      case WITHDRAW -> Optional.of("stays");
      case END -> Optional.of("is back in production");
      case CORDON_AGAIN -> Optional.of("is cordoned again");
      case NOTE -> Optional.empty();
    };
  }
}
