package io.nodepool.plan.report;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodeCondition;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The Events of the oldest reference (seed 002): each is emitted directly after its newer
 * equivalent, about the same object, with the same occasion and count, so that a retried write
 * emits both once (decisions D247 to D249).
 */
public final class OldestEvents {
  private OldestEvents() {}

  /** The action with the Events of the oldest reference beside its own. */
  public static PlannedAction beside(PlannedAction plannedAction) {
    return plannedAction.withEventDrafts(
        plannedAction.eventDrafts().stream()
            .flatMap(newer -> Stream.concat(Stream.of(newer), of(newer)))
            .toList());
  }

  private static Stream<EventDraft> of(EventDraft newer) {
    return Stream.of(EventReason.values())
        .filter(each -> each.beside().equals(Optional.of(newer.reason())))
        .filter(each -> each.on().contains(newer.regarding().kind()))
        .map(each ->
            new EventDraft(
                each, newer.regarding(), newer.occasion(), text(each, newer), newer.count()));
  }

  /** The text of the newer Event; for a quota, only the sentence that the reference prints. */
  private static String text(EventReason oldest, EventDraft newer) {
    int end = newer.message().indexOf(". ");
    return oldest == EventReason.OLDEST_OVER_QUOTA && end > 0
        ? newer.message().substring(0, end + 1)
        : newer.message();
  }

  /**
   * The plan of a machine with NodeCWActive before each write that sets CWActive for the first time
   * or changes its status. The Event is named after the last transition of the condition, which a
   * crash does not change.
   */
  public static MachinePlan activity(MachinePlan plan, MachineSnapshot seen) {
    return seen.node()
        .map(node ->
            new MachinePlan(
                plan.plannedActions().stream().map(each -> activity(each, node)).toList(),
                plan.wakeup()))
        .orElse(plan);
  }

  private static PlannedAction activity(PlannedAction plannedAction, Node node) {
    if (!(plannedAction.action() instanceof Action.WriteNode write)) {
      return plannedAction;
    }
    List<EventDraft> drafts =
        write
            .change()
            .conditionsSet()
            .filter(set -> set.type() == NodeCondition.ACTIVE && set.transitions())
            .map(set ->
                new EventDraft(
                    EventReason.OLDEST_NODE_ACTIVE,
                    node,
                    node.status()
                        .condition(NodeCondition.ACTIVE)
                        .map(NodeStatus.Entry::since)
                        .map(since -> "%s, last changed %s".formatted(set.status(), since))
                        .orElse("first"),
                    "Node %s is %s: %s"
                        .formatted(node.name(), set.status() ? "active" : "idle", set.message())))
            .toList();
    return plannedAction.and(drafts);
  }
}
