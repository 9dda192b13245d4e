package io.nodepool.world;

import io.nodepool.control.MachinePlanning;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.Removal;
import io.nodepool.plan.Action;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlannedAction;
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
    return Stream.concat(drains(), marks());
  }

  private static Stream<Mutation> drains() {
    OperatorOverrides built = OperatorOverrides.AS_BUILT;
    return Stream.of(
        Mutation.of(
            21,
            "A cordon does not settle",
            built.withRules(settings -> settings.withSettle(Duration.ZERO)),
            "eager scheduler"),
        Mutation.of(
            22,
            "A drain begins without the live list",
            built.withMachines(
                Seams.machineSeen((seen, now) -> listed(seen, now, RemovalMutations::isMarked))),
            "shrink"),
        Mutation.of(
            23,
            "A machine is stopped without the second list",
            built.withMachines(
                Seams.machineSeen((seen, now) -> listed(seen, now, Node::isDraining))),
            "late scheduler, PREFER_IDLE",
            "drain"),
        Mutation.of(
            24,
            "Pods that the system needs are evicted together with the others",
            built.withMachines(Seams.podsSeen(RemovalMutations::ordinary)),
            "drain"),
        Mutation.of(
            25,
            "A drain's deadline is counted anew at every look",
            built.withMachines(Seams.machineSeen(RemovalMutations::deadlineAnew)),
            "drain"),
        Mutation.of(
            26,
            "A Pod is deleted where its budget should be asked",
            Seams.actions(action ->
                action instanceof Action.EvictPod evict
                    ? new Action.DeletePod(evict.subject(), evict.grace())
                    : action),
            "drain"),
        Mutation.of(
            29,
            "A Host is released while its Node stands",
            built.withMachines(Seams.machineSeen((seen, now) -> nodeForgotten(seen))),
            "finalizer in the way"),
        Mutation.of(
            31,
            "Nodes of a pool that is gone are stopped without a drain",
            built.withMachines(RemovalMutations::abrupt),
            "stripped finalizer"));
  }

  private static Stream<Mutation> marks() {
    return Stream.of(
        Mutation.of(
            27,
            "A mark is taken back and its cordon stays",
            Seams.actions(action -> uncordoning(action, false)),
            "take back"),
        Mutation.of(
            28,
            "A mark is taken back and a foreign cordon goes with it",
            Seams.actions(action -> uncordoning(action, true)),
            "foreign cordon"),
        Mutation.of(
            30,
            "A Node is cordoned without a record",
            Seams.actions(action ->
                action instanceof Action.MarkRemoval mark && mark.cordons()
                    ? new Action.Cordon(mark.node(), mark.nodeUid(), Optional.empty())
                    : action),
            "shrink"),
        Mutation.of(
            32,
            "A removal goes on while a target rises: marks are never taken back",
            Seams.steps(plannedAction ->
                plannedAction.action() instanceof Action.UnmarkRemoval
                    ? Stream.empty()
                    : Stream.of(plannedAction)),
            "take back"));
  }

  private static boolean isMarked(Node node) {
    return node.removal().filter(Removal.Marked.class::isInstance).isPresent();
  }

  /** What the watch brought is taken for a live list of the Nodes that are so. */
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
            node.removal().orElse(null) instanceof Removal.Draining drain
                ? Optional.of(
                    node.withRemoval(
                        Optional.of(
                            new Removal.Draining(
                                drain.cause(),
                                drain.at(),
                                now.plus(Duration.between(drain.at(), drain.forceAt()))))))
                : Optional.empty())
        .map(node -> seen.withNode(Optional.of(node)))
        .orElse(seen);
  }

  private static MachineSnapshot nodeForgotten(MachineSnapshot seen) {
    return seen.host().isOff() ? seen.withNode(Optional.empty()) : seen;
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
    return action instanceof Action.UnmarkRemoval unmark
        ? new Action.UnmarkRemoval(
            unmark.node(), unmark.nodeUid(), unmark.nodeVersion(), uncordon, unmark.instead())
        : action;
  }
}
