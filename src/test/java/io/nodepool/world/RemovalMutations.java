package io.nodepool.world;

import io.nodepool.control.MachinePlanning;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Faults in the removal of Nodes. */
final class RemovalMutations {
  private RemovalMutations() {}

  static Stream<Mutation> all() {
    return Stream.concat(drains(), admissions());
  }

  private static Stream<Mutation> drains() {
    OperatorOverrides built = OperatorOverrides.AS_BUILT;
    return Stream.of(
        Mutation.of(
            21,
            "A cordon has no settle time",
            built.withSettings(settings -> settings.withSettle(Duration.ZERO)),
            "eager scheduler"),
        Mutation.of(
            22,
            "A drain begins without the live list of Pods",
            built.withMachines(
                Seams.machineSeen((seen, now) -> listed(seen, now, RemovalMutations::isAdmitted))),
            "shrink"),
        Mutation.of(
            23,
            "A machine is powered off without the second live list",
            built.withMachines(
                Seams.machineSeen((seen, now) -> listed(seen, now, Node::isDraining))),
            "late scheduler, PREFER_IDLE",
            "drain"),
        Mutation.of(
            24,
            "System-critical Pods are evicted together with the others",
            built.withMachines(Seams.podsSeen(RemovalMutations::ordinary)),
            "drain"),
        Mutation.of(
            25,
            "A drain's deadline restarts at every reconcile",
            built.withMachines(Seams.machineSeen(RemovalMutations::deadlineAnew)),
            "drain"),
        Mutation.of(
            26,
            "A Pod is deleted instead of evicted, without regard to its budget",
            Seams.actions(action ->
                action instanceof Action.EvictPod evict
                    ? new Action.DeletePod(evict.subject(), evict.grace())
                    : action),
            "drain"),
        Mutation.of(
            29,
            "A Host is released while its Node exists",
            built.withMachines(Seams.machineSeen((seen, now) -> nodeForgotten(seen))),
            "finalizer in the way"),
        Mutation.of(
            31,
            "Machines of a deleted pool's Nodes are powered off without a drain",
            built.withMachines(RemovalMutations::abrupt),
            "stripped finalizer"),
        Mutation.of(
            87,
            "A Node leaves production when its drain begins",
            Seams.actions(RemovalMutations::leavingAtOnce),
            "drain"));
  }

  private static Stream<Mutation> admissions() {
    return Stream.of(
        Mutation.of(
            27,
            "An admission is taken back and its cordon stays",
            Seams.actions(action -> uncordoning(action, false)),
            "foreign cordon"),
        Mutation.of(
            28,
            "An admission is taken back together with another client's cordon",
            Seams.actions(action -> uncordoning(action, true)),
            "foreign cordon"),
        Mutation.of(
            30,
            "A Node is cordoned without a record",
            Seams.actions(action ->
                Seams.changing(
                    action,
                    NodePurpose.ADMIT,
                    change ->
                        new NodeChange.OfSpec(
                            change.metadata().recording(Optional.empty()), change.cordoning()))),
            "shrink"),
        Mutation.of(
            32,
            "A removal continues while a target rises: admissions are never taken back",
            Seams.steps(plannedAction ->
                plannedAction.action() instanceof Action.WriteNode record
                        && record.isFor(NodePurpose.WITHDRAW)
                    ? Stream.empty()
                    : Stream.of(plannedAction)),
            "foreign cordon"));
  }

  private static Action leavingAtOnce(Action action) {
    return action instanceof Action.WriteNode write
            && write.isFor(NodePurpose.COMMIT)
            && write.next().orElse(null) instanceof Disruption.Committed next
            && next.isLeaving()
            && write.change() instanceof NodeChange.OfStatus(var metadata, var conditions)
        ? new Action.WriteNode(
            write.node(),
            write.nodeUid(),
            write.precondition(),
            new NodeChange.OfStatus(
                metadata.withLabel(NodeLabels.STATE.key(), Optional.of(LifecycleState.ZAP.word())),
                conditions),
            NodePurpose.COMMIT)
        : action;
  }

  private static boolean isAdmitted(Node node) {
    return node.disruption().filter(Disruption.Admitted.class::isInstance).isPresent();
  }

  /** Uses the Pods of the watch as a live list for the Nodes that match. */
  private static MachineSnapshot listed(
      MachineSnapshot seen, Instant now, Predicate<Node> isTaken) {
    return seen.node().filter(isTaken).isEmpty()
        ? seen
        : seen.withEvidence(
            seen.evidence().withListed(Optional.of(new MachineSnapshot.Listing(seen.pods(), now))));
  }

  private static Pod ordinary(Pod pod) {
    return pod.withEviction(pod.eviction().withCritical(false));
  }

  private static MachineSnapshot deadlineAnew(MachineSnapshot seen, Instant now) {
    return seen.node()
        .flatMap(node ->
            node.disruption().orElse(null) instanceof Disruption.Committed drain
                ? Optional.of(
                    node.withDisruption(
                        Optional.of(
                            drain.committed(
                                drain.at(),
                                DisruptionLimits.leaving(
                                    now.plus(Duration.between(drain.at(), drain.forceAt())))))))
                : Optional.empty())
        .map(node -> seen.withNode(Optional.of(node)))
        .orElse(seen);
  }

  private static MachineSnapshot nodeForgotten(MachineSnapshot seen) {
    return seen.host().isOff(Instant.MIN) ? seen.withNode(Optional.empty()) : seen;
  }

  private static MachinePlanning abrupt(MachinePlanning planner) {
    return Seams.machines(
        (seen, now) -> {
          Host host = seen.host();
          return seen.pool().isEmpty()
                  && seen.evidence().ownerGone()
                  && seen.presentNode().isPresent()
                  && host.power() == Host.Power.ON
              ? new MachinePlan(
                  List.of(
                      PlannedAction.quiet(
                          new Action.OnHost(
                              new HostOperation.Stop(
                                  host.id(),
                                  host.tenancy(),
                                  host.assignment().orElseThrow().pool(),
                                  Optional.empty())),
                          "its pool is gone")),
                  Optional.empty())
              : planner.plan(seen, now);
        },
        planner::plan);
  }

  private static Action uncordoning(Action action, boolean uncordon) {
    NodeChange.Cordoning cordoning =
        uncordon ? NodeChange.Cordoning.UNCORDON : NodeChange.Cordoning.KEEP;
    return Seams.changing(
        action,
        NodePurpose.WITHDRAW,
        change -> new NodeChange.OfSpec(change.metadata(), cordoning));
  }
}
