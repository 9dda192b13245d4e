package io.nodepool.plan;

import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.Taint;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The parts of an object that an action sets: a label, a condition, the cordon. Two actions have
 * the same effect if their parts have the same values, independently of the object version and the
 * instant at which each was decided. A change that does not stay is detected by comparing effects.
 * Pure.
 */
public final class Effects {
  private static final int NAMED = 3;

  /** What a drain that has just begun needs. */
  static final String PODS = "the list of its Pods";

  private Effects() {}

  /** What a write of a Node sets, and how it is said. */
  static ActionTraits traits(Action.NodeWrite write) {
    NodePurpose purpose = write.purpose();
    Optional<Disruption> next = recorded(write);
    ActionTraits traits =
        (purpose.isOfDisruption()
                ? purpose.traits(next)
                : ActionTraits.of(purpose.word(), of(write)))
            .excusing(purpose.excused())
            .removing(purpose.removal(write.node()))
            .deciding(purpose.decision(next));
    return purpose.isEnd()
        ? traits
        : traits.about(
            new EventDraft.Regarding(EventDraft.Kind.NODE, write.node(), write.nodeUid()));
  }

  private static Optional<Disruption> recorded(Action.NodeWrite write) {
    return switch (write) {
      case Action.RecordDisruption record -> record.next();
      case Action.CommitDisruption commit -> Optional.of(commit.next());
      case Action.ReportNode _,
          Action.ReportRemoval _,
          Action.ReportLifecycle _,
          Action.ApplyMetadata _,
          Action.DropRebootPolicy _ ->
          Optional.empty();
    };
  }

  /** The parts that the write sets, each with its value. */
  private static SortedMap<String, Object> of(Action.NodeWrite write) {
    return switch (write) {
      case Action.ReportNode report -> {
        SortedMap<String, Object> parts = one(condition(NodeCondition.ACTIVE), report.activity());
        if (report.register()) {
          parts.put(condition(NodeCondition.REGISTERED), true);
        }
        yield parts;
      }
      case Action.RecordDisruption _, Action.CommitDisruption _ -> new TreeMap<>();
      case Action.ReportRemoval report -> one(condition(NodeCondition.NODE_REMOVAL), report.says());
      case Action.ReportLifecycle report -> lifecycle(report.before(), report.next());
      case Action.ApplyMetadata apply -> metadata(apply.change());
      case Action.DropRebootPolicy _ ->
          one("annotation " + NodeAnnotations.REBOOT_POLICY.key(), Optional.empty());
    };
  }

  /** The traits of a change of a Namespace's owner. */
  static ActionTraits ofOrganization(
      String word, String namespace, String uid, Optional<String> organization) {
    return ActionTraits.of(word, "label " + NamespaceLabels.ORGANIZATION.key(), organization)
        .about(new EventDraft.Regarding(EventDraft.Kind.NAMESPACE, namespace, uid));
  }

  private static SortedMap<String, Object> one(String part, Object value) {
    SortedMap<String, Object> parts = new TreeMap<>();
    parts.put(part, value);
    return parts;
  }

  private static String condition(NodeCondition condition) {
    return "condition " + condition.type();
  }

  private static SortedMap<String, Object> lifecycle(Node.Lifecycle before, Node.Lifecycle next) {
    SortedMap<String, Object> parts = new TreeMap<>();
    if (!before.phase().equals(next.phase())) {
      parts.put(condition(NodeCondition.PHASE_STATE), next.phase());
    }
    if (!before.pending().equals(next.pending())) {
      parts.put(
          condition(NodeCondition.PENDING_PHASE_STATE),
          next.pending().map(pending -> pending.phase() + pending.status()));
    }
    if (before.rebooting() != next.rebooting()) {
      parts.put(condition(NodeCondition.IMMEDIATE_REBOOT), next.rebooting());
    }
    return parts;
  }

  private static SortedMap<String, Object> metadata(NodeChange change) {
    SortedMap<String, Object> parts = new TreeMap<>();
    change.record().ifPresent(record -> parts.put("the record of what was applied", record));
    change.labels().forEach((key, value) -> parts.put("label " + key, value));
    change.annotations().forEach((key, value) -> parts.put("annotation " + key, value));
    change.taints().removed().forEach(taint -> parts.put(taint(taint), ""));
    change.taints().added().forEach(taint -> parts.put(taint(taint), taint));
    return parts;
  }

  private static String taint(Taint taint) {
    return "taint %s:%s".formatted(taint.key(), taint.effect());
  }

  /**
   * The action with an Event that reports that its change does not stay. Reads, and actions that
   * only request something, get no Event.
   *
   * @param parts the parts that were set repeatedly
   * @param longest the longest wait before a part is set again
   */
  public static PlannedAction notStaying(
      PlannedAction plannedAction, Set<String> parts, int times, Duration longest) {
    Optional<EventDraft.Regarding> regarding = plannedAction.action().traits().regarding();
    if (parts.isEmpty() || regarding.isEmpty()) {
      return plannedAction;
    }
    List<EventDraft> eventDrafts = new ArrayList<>(plannedAction.eventDrafts());
    eventDrafts.add(
        new EventDraft(
            EventReason.CHANGE_REVERTED,
            regarding.get(),
            String.join(", ", parts),
            "%s: %s was set %d times and did not stay; another client changes it back. It is set again at growing intervals, of %s at most."
                .formatted(
                    object(plannedAction.action()),
                    Messages.list(words(plannedAction.action(), parts), NAMED),
                    times,
                    Messages.duration(longest)),
            1));
    return plannedAction.withEvents(eventDrafts);
  }

  private static List<String> words(Action action, Set<String> parts) {
    return action instanceof Action.OnHost(HostOperation operation)
        ? List.of(HostWords.undone(operation))
        : List.copyOf(parts);
  }

  private static String object(Action action) {
    String kind =
        switch (action.subject()) {
          case Action.Subject.OfHost _ -> "Host ";
          case Action.Subject.OfNode _ -> "Node ";
          case Action.Subject.OfPool _ -> "NodePool ";
          case Action.Subject.OfPod _ -> "Pod ";
          case Action.Subject.OfNamespace _ -> "Namespace ";
        };
    return kind + action.subject().text();
  }
}
