package io.nodepool.world;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.pool.Condition;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Faults in what is said: all writes and Events are as they should be, but for a text. */
final class TruthMutations {
  /** A number of Nodes, of which the last name is left out. */
  private static final Pattern BATCH =
      Pattern.compile("\\d+ Nodes \\((.+), [^,]+\\) cordoned to be removed\\.");

  private TruthMutations() {}

  static Stream<Mutation> all() {
    return Stream.of(
        Mutation.of(
            70,
            "A number in an Event is one too high",
            texts(EventReason.NODE_REGISTERED, text -> text.replaceFirst("^1 Node ", "2 Nodes ")),
            "growth"),
        Mutation.of(
            71,
            "An Event names another Node",
            texts(EventReason.NODE_CORDONED, text -> text.replaceFirst("^Node g", "Node x")),
            "shrink"),
        Mutation.of(
            72,
            "An Event names another target than the one that is reached",
            texts(
                EventReason.NODE_POOL_SCALED_UP, text -> text.replace("target of ", "target of 1")),
            "growth"),
        Mutation.of(
            73, "A busy Node is reported as idle", Seams.actions(TruthMutations::idle), "shrink"),
        Mutation.of(
            74,
            "Nothing is said of a cordon",
            Seams.withEvents((events, _) -> without(events, EventReason.NODE_CORDONED)),
            "shrink"),
        Mutation.of(
            75,
            "The Event of a pool leaves out one Node of a batch",
            Seams.withEvents(
                (events, _) -> events.stream().map(TruthMutations::withoutLast).toList()),
            "shrink"),
        Mutation.of(
            76,
            "Nodes are reported as up to date that are not",
            messages(
                NodeReconfigurationReason.ALL_NODES_UP_TO_DATE,
                text ->
                    text.replaceFirst(
                        "^.* not booted into [^ ]+: [^.]*\\.",
                        NodeReconfigurationReason.ALL_NODES_UP_TO_DATE.message().orElseThrow())),
            "rollout"),
        Mutation.of(
            77,
            "A rollout is reported with one Node too many that is up to date",
            messages(
                NodeReconfigurationReason.STAGED_NODE_CONFIG,
                text -> text.replaceFirst(": 0 of", ": 1 of")),
            "rollout"),
        Mutation.of(
            78,
            "A Node is reported to stay for another reason",
            texts(
                EventReason.NODE_UNCORDONED,
                text ->
                    text.replace(
                        "its pool has no Node too many any more", "its rollout is stopped")),
            "wavering target"),
        Mutation.of(
            79,
            "A busy Node is reported as idle when its reboot begins",
            Seams.withEvents(
                (events, action) -> Stream.concat(events.stream(), rebooting(action)).toList()),
            "immediate reboot"));
  }

  private static EventDraft withoutLast(EventDraft event) {
    Matcher batch = BATCH.matcher(event.message());
    int left = event.count() - 1;
    return event.reason() == EventReason.NODE_CORDONED && batch.matches()
        ? new EventDraft(
            event.reason(),
            event.regarding(),
            event.occasion(),
            "%s (%s) cordoned to be removed."
                .formatted(Messages.count(left, "Node"), batch.group(1)),
            left)
        : event;
  }

  /** Changes the message about configurations, and its reason to this one. */
  private static OperatorOverrides messages(
      NodeReconfigurationReason reason, UnaryOperator<String> change) {
    return OperatorOverrides.AS_BUILT.withPlanner(planner ->
        (seen, now) -> {
          PoolPlan plan = planner.plan(seen, now);
          return plan.withStatus(
              plan.status().withConditions(changed(plan.status().conditions(), reason, change)));
        });
  }

  private static Map<PoolCondition, Condition> changed(
      Map<PoolCondition, Condition> conditions,
      NodeReconfigurationReason reason,
      UnaryOperator<String> change) {
    Map<PoolCondition, Condition> next = new EnumMap<>(PoolCondition.class);
    next.putAll(conditions);
    next.computeIfPresent(
        PoolCondition.NODE_RECONFIGURATION_REQUIRED,
        (_, last) -> {
          String message = change.apply(last.message());
          return message.equals(last.message())
              ? last
              : new Condition(reason, message, last.since());
        });
    return next;
  }

  private static Stream<EventDraft> rebooting(Action action) {
    return action instanceof Action.WriteNode write
            && write.isFor(NodePurpose.COMMIT)
            && write.next().orElse(null) instanceof Disruption.Committed committed
            && !committed.isLeaving()
        ? Stream.of(
            new EventDraft(
                EventReason.NODE_REBOOTING,
                new EventDraft.Regarding(EventTarget.NODE, write.node(), write.nodeUid()),
                "begun",
                "Node %s is idle and goes into state %s: %s."
                    .formatted(write.node(), LifecycleState.REBOOT.word(), committed.text()),
                1))
        : Stream.of();
  }

  private static OperatorOverrides texts(EventReason reason, UnaryOperator<String> change) {
    return Seams.withEvents((events, _) ->
        events.stream()
            .map(event -> event.reason() == reason ? saying(event, change) : event)
            .toList());
  }

  private static EventDraft saying(EventDraft event, UnaryOperator<String> change) {
    return new EventDraft(
        event.reason(),
        event.regarding(),
        event.occasion(),
        change.apply(event.message()),
        event.count());
  }

  private static List<EventDraft> without(List<EventDraft> events, EventReason reason) {
    return events.stream().filter(event -> event.reason() != reason).toList();
  }

  private static ConditionChange idle(ConditionChange change) {
    return change instanceof ConditionChange.Set set && set.type() == NodeCondition.ACTIVE
        ? new ConditionChange.Set(
            set.type(), false, "Idle", "No tenant workloads.", set.transitions(), set.since())
        : change;
  }

  private static Action idle(Action action) {
    return action
            instanceof
            Action.WriteNode(
                String node,
                String uid,
                NodePrecondition precondition,
                NodeChange.OfStatus(MetadataChange metadata, List<ConditionChange> conditions),
                NodePurpose purpose)
        ? new Action.WriteNode(
            node,
            uid,
            precondition,
            new NodeChange.OfStatus(
                metadata, conditions.stream().map(TruthMutations::idle).toList()),
            purpose)
        : action;
  }
}
