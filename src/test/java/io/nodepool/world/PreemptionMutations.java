package io.nodepool.world;

import io.nodepool.fleet.Reclaim;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.Node;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/** Faults in the preemption of Nodes. */
final class PreemptionMutations {
  private PreemptionMutations() {}

  static Stream<Mutation> all() {
    OperatorOverrides built = OperatorOverrides.AS_BUILT;
    return Stream.of(
        Mutation.of(
            41,
            "A preemption drains its Node before the warning is over",
            built.withSettings(
                settings -> settings.withPreemption(unwarned(settings.preemption()))),
            "preemption"),
        Mutation.of(
            42,
            "The end of a preemption's window is ignored",
            built.withMachines(Seams.machineSeen((seen, now) -> endless(seen))),
            "cut off"),
        Mutation.of(
            43,
            "A notice of preemption that is withdrawn is not followed",
            built.withMachines(Seams.machineSeen((seen, now) -> noticed(seen))),
            "preemption withdrawn"),
        Mutation.of(
            44,
            "The deletion of a preempted Node is not announced",
            Seams.withEvents((eventDrafts, action) ->
                eventDrafts.stream()
                    .filter(each -> each.reason() != EventReason.DELETED_FOR_PREEMPTION)
                    .toList()),
            "preemption"));
  }

  private static PlanSettings.PreemptionSettings unwarned(PlanSettings.PreemptionSettings built) {
    return new PlanSettings.PreemptionSettings(Duration.ZERO, built.window(), built.forced());
  }

  /** The machine without the instant at which it must stop. */
  private static MachineSnapshot endless(MachineSnapshot seen) {
    return seen.node()
        .filter(node -> node.disruption().orElse(null) instanceof Disruption.Committed)
        .map(node -> seen.withNode(Optional.of(endless(node))))
        .orElse(seen);
  }

  private static Node endless(Node node) {
    Disruption.Committed drain = (Disruption.Committed) node.disruption().orElseThrow();
    return node.withDisruption(
        Optional.of(drain.committed(drain.at(), DisruptionLimits.leaving(drain.forceAt()))));
  }

  /** The machine with the notice for which its Node is recorded to be preempted. */
  private static MachineSnapshot noticed(MachineSnapshot seen) {
    return seen.node()
        .flatMap(Node::disruption)
        .flatMap(Disruption::active)
        .flatMap(active ->
            active.causes().stream()
                .filter(cause -> cause.rule().countsAs() == CauseRule.CountsAs.PREEMPTION)
                .findFirst())
        .map(cause -> withNotice(seen, Instant.parse(cause.what().reference())))
        .orElse(seen);
  }

  private static MachineSnapshot withNotice(MachineSnapshot seen, Instant announced) {
    Reclaim notice = new Reclaim(announced, announced.plus(Drill.RECLAIM_WINDOW), "a drill");
    return seen.withHost(
        seen.host()
            .withReport(
                seen.host()
                    .report()
                    .withSpot(seen.host().report().spot().withReclaim(Optional.of(notice)))));
  }
}
