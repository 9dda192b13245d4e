package io.nodepool.world;

import io.nodepool.control.PoolPlanning;
import io.nodepool.control.Writer;
import io.nodepool.fleet.Assignment;
import io.nodepool.model.Fixtures;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.Condition;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Faults in reports, and in the attribution of failures to machines. */
final class ReportMutations {
  private ReportMutations() {}

  static Stream<Mutation> all() {
    OperatorOverrides built = OperatorOverrides.AS_BUILT;
    return Stream.of(
        Mutation.of(
            37,
            "Transition times move without a transition",
            built.withPlanner(ReportMutations::restless),
            "growth"),
        Mutation.of(
            38,
            "Events are emitted after the write that they announce",
            built.withWriter(ReportMutations::late),
            "growth"),
        Mutation.of(
            39,
            "An Event is emitted from a state instead of from a change",
            Seams.withEvents(ReportMutations::ofState),
            "late scheduler, IDLE_ONLY"),
        Mutation.of(
            40,
            "The deadline of a boot counts time without a running operator",
            built.withPlanner(planner ->
                (seen, now) ->
                    planner.plan(
                        seen.withMembers(
                            Members.of(
                                seen.members().stream()
                                    .map(member -> waitedFor(member, now))
                                    .toList())),
                        now)),
            "slow boots"));
  }

  private static PoolPlanning restless(PoolPlanning planner) {
    return (seen, now) -> {
      PoolPlan plan = planner.plan(seen, now);
      Map<PoolCondition, Condition> moved = new EnumMap<>(PoolCondition.class);
      plan.status()
          .conditions()
          .forEach((type, condition) ->
              moved.put(type, new Condition(condition.reason(), condition.message(), now)));
      return plan.withStatus(plan.status().withConditions(moved));
    };
  }

  private static Writer late(Writer writer) {
    return Seams.writer(
        writer,
        (eventDrafts, action, answer) ->
            writer.submit(
                List.of(),
                action,
                outcome -> {
                  if (!eventDrafts.isEmpty()) {
                    writer.submit(eventDrafts, new Action.Confirm(action.subject()), _ -> {});
                  }
                  answer.accept(outcome);
                }));
  }

  /** Emits the Event of a registration with every report about a Node. */
  private static List<EventDraft> ofState(List<EventDraft> eventDrafts, Action action) {
    return action instanceof Action.WriteNode report && report.isFor(NodePurpose.REPORT_ACTIVITY)
        ? List.of(
            new EventDraft(
                EventReason.NODE_REGISTERED,
                new EventDraft.Regarding(EventTarget.NODE, report.node(), report.nodeUid()),
                "registered",
                "Node %s is registered in NodePool a.".formatted(report.node()),
                1))
        : eventDrafts;
  }

  private static Member waitedFor(Member member, Instant now) {
    Optional<Member.Waiting> waiting =
        member
            .waiting()
            .map(awaited ->
                awaited.awaited() == Member.Awaited.DELIVERY
                    ? new Member.Waiting(
                        awaited.awaited(),
                        member.host().assignment().map(Assignment::at).orElse(now))
                    : awaited);
    return Fixtures.member(
        member.host(),
        member.node(),
        member.workload(),
        member.underWay(),
        waiting,
        member.findings());
  }
}
