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
import java.util.Map;
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
  private static final String ORGANIZATION = "label " + NamespaceLabels.ORGANIZATION.key();
  private static final String OPERATION = "the last operation";
  private static final String STAGED = "the wanted configuration";
  private static final String MARK = "the removal mark";
  private static final String NO_MARK = "no removal mark";
  private static final String PODS = "the list of its Pods";

  private Effects() {}

  /** The parts that the action sets, each with its value. */
  public static SortedMap<String, Object> of(Action action) {
    return switch (action) {
      case Action.OnHost(HostOperation.Stage stage) -> one(STAGED, stage.configuration());
      case Action.OnHost(HostOperation operation) -> one(OPERATION, kind(operation));
      case Action.ReportNode report -> {
        SortedMap<String, Object> parts = one(condition(NodeCondition.ACTIVE), report.activity());
        if (report.register()) {
          parts.put(condition(NodeCondition.REGISTERED), true);
        }
        yield parts;
      }
      case Action.RecordDisruption record ->
          switch (record.change()) {
            case NOTE -> one("the note of a removal request", true);
            case ADMIT -> one(MARK, true);
            case UPDATE -> one("the causes of its disruption", record.next().map(Effects::causes));
            case WITHDRAW -> one(NO_MARK, true);
            case CORDON_AGAIN -> one("the cordon", true);
            case END -> one(NO_MARK, true);
          };
      case Action.CommitDisruption commit -> one("the record of its drain", causes(commit.next()));
      case Action.ReportRemoval report -> one(condition(NodeCondition.NODE_REMOVAL), report.says());
      case Action.ReportLifecycle report -> lifecycle(report.before(), report.next());
      case Action.ListPods _ -> one(PODS, true);
      case Action.LookAtMachine _ -> one("a look at its machine", true);
      case Action.EvictPod evict -> one("its eviction", evict.grace());
      case Action.DeletePod delete -> one("its deletion", delete.grace());
      case Action.ApplyMetadata apply -> metadata(apply.change());
      case Action.DeleteNode _ -> one("its deletion", true);
      case Action.LabelNamespace label -> one(ORGANIZATION, Optional.of(label.organization()));
      case Action.RelabelNamespace relabel -> one(ORGANIZATION, relabel.organization());
      case Action.AskLabelAuthor _ -> one("a look at who labelled it", true);
      case Action.AskRequestTimes _ -> one("a look at its request", true);
      case Action.DropRebootPolicy _ ->
          one("annotation " + NodeAnnotations.REBOOT_POLICY.key(), Optional.empty());
      case Action.PublishStatus publish -> one("the status", publish.status());
      case Action.AcceptCommand accept -> one("the accepted command", accept.accepted());
      case Action.Confirm _ -> one("a look at it", true);
      case Action.ConfirmEmpty _ -> one("a look at what is left of it", true);
    };
  }

  private static String causes(Disruption disruption) {
    return disruption.active().map(Disruption.Active::words).orElse("");
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
   * The part that may be set without a wait after this action, however often it was set before: a
   * mark that was just set may always be withdrawn, and a drain that has just begun needs a Pod
   * list of its own. The reverse does not hold: a mark that is withdrawn repeatedly, because
   * another client uncordons the Node, is set again with growing waits.
   */
  public static Optional<String> excused(Action action) {
    return switch (action) {
      case Action.RecordDisruption record when record.change() == Action.Change.ADMIT ->
          Optional.of(NO_MARK);
      case Action.CommitDisruption _ -> Optional.of(PODS);
      case Action.OnHost _,
          Action.ReportNode _,
          Action.RecordDisruption _,
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

  /**
   * The kind of write on the same object that the action prepares; the action is useless while that
   * write may not be retried.
   */
  public static Optional<Object> prepares(Action action) {
    return action instanceof Action.ListPods
        ? Optional.of(Action.CommitDisruption.class)
        : Optional.empty();
  }

  /**
   * The kind of an action: actions of one kind on one object fail for the same cause, whatever
   * values they set.
   */
  public static Object kind(Action action) {
    if (action instanceof Action.OnHost(HostOperation operation)) {
      return kind(operation);
    }
    return action instanceof Action.RecordDisruption record ? record.change() : action.getClass();
  }

  private static Object kind(HostOperation operation) {
    return Map.entry(operation.getClass(), operation.pool().uid());
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
    Optional<EventDraft.Regarding> regarding = regarding(plannedAction.action());
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
        ? List.of(
            switch (operation) {
              case HostOperation.Assign _ ->
                  "the assignment to NodePool " + operation.pool().name();
              case HostOperation.Cancel _ -> "the cancellation of its assignment";
              case HostOperation.Stop _ -> "power Off";
              case HostOperation.Release _ -> "the release";
              case HostOperation.Delivered _ -> "the end of its delivery failures";
              case HostOperation.Excuse _ -> "the end of the failures in a disabled configuration";
              case HostOperation.Boot _ -> "the boot";
              case HostOperation.DropBoot _ -> "the end of the request to boot";
              case HostOperation.Stage _ -> STAGED;
            })
        : List.copyOf(parts);
  }

  private static String object(Action action) {
    return switch (action.subject()) {
      case Action.Subject.OfHost(var host) -> "Host " + host.name();
      case Action.Subject.OfNode(String name, String _) -> "Node " + name;
      case Action.Subject.OfPool(var pool) -> "NodePool " + pool.name();
      case Action.Subject.OfPod pod -> "Pod %s/%s".formatted(pod.namespace(), pod.name());
      case Action.Subject.OfNamespace(String name, String _) -> "Namespace " + name;
    };
  }

  /**
   * The object of the Event that reports that the action's change does not stay; empty if none is
   * emitted.
   */
  private static Optional<EventDraft.Regarding> regarding(Action action) {
    return switch (action) {
      case Action.OnHost(HostOperation operation) ->
          Optional.of(EventDraft.Regarding.of(operation.pool()));
      case Action.PublishStatus publish -> Optional.of(EventDraft.Regarding.of(publish.pool()));
      case Action.AcceptCommand accept -> Optional.of(EventDraft.Regarding.of(accept.pool()));
      case Action.LabelNamespace label -> Optional.of(namespace(label.namespace(), label.uid()));
      case Action.RelabelNamespace relabel ->
          Optional.of(namespace(relabel.namespace(), relabel.uid()));
      case Action.RecordDisruption record
          when record.change() == Action.Change.WITHDRAW || record.change() == Action.Change.END ->
          Optional.empty();
      case Action.ReportNode _,
          Action.RecordDisruption _,
          Action.CommitDisruption _,
          Action.ReportRemoval _,
          Action.ReportLifecycle _,
          Action.ApplyMetadata _,
          Action.DropRebootPolicy _ ->
          action.subject() instanceof Action.Subject.OfNode(String name, String uid)
              ? Optional.of(new EventDraft.Regarding(EventDraft.Kind.NODE, name, uid))
              : Optional.empty();
      case Action.ListPods _,
          Action.LookAtMachine _,
          Action.EvictPod _,
          Action.DeletePod _,
          Action.DeleteNode _,
          Action.AskLabelAuthor _,
          Action.AskRequestTimes _,
          Action.Confirm _,
          Action.ConfirmEmpty _ ->
          Optional.empty();
    };
  }

  private static EventDraft.Regarding namespace(String name, String uid) {
    return new EventDraft.Regarding(EventDraft.Kind.NAMESPACE, name, uid);
  }
}
