package io.nodepool.plan;

import io.nodepool.fleet.HostOperation;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.metadata.NamespaceLabels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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

  /** The traits of a change of a Namespace's owner. */
  static ActionTraits ofOrganization(
      String word, String namespace, String uid, Optional<String> organization) {
    return ActionTraits.of(word, "label " + NamespaceLabels.ORGANIZATION.key(), organization)
        .about(new EventDraft.Regarding(EventTarget.NAMESPACE, namespace, uid));
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
                    ActionText.object(plannedAction.action().subject()),
                    Messages.list(words(plannedAction.action(), parts), NAMED),
                    times,
                    Messages.duration(longest))));
    return plannedAction.withEvents(eventDrafts);
  }

  private static List<String> words(Action action, Set<String> parts) {
    return action instanceof Action.OnHost(HostOperation operation)
        ? List.of(HostWords.undone(operation))
        : List.copyOf(parts);
  }
}
