package io.nodepool.plan;

import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.EventReason;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * An action and the Events that are emitted before it.
 *
 * @param why the reason for the action, in a few words for logs
 * @param ended the causes that end with a deletion, which metrics count once it is done; causes
 *     that a write removes from the record of a Node are not named here
 */
@RecordBuilder
public record PlannedAction(
    List<EventDraft> eventDrafts, Action action, String why, List<EndedCause> ended)
    implements PlannedActionCopy.With {
  private static final int NAMED = 3;

  public PlannedAction {
    eventDrafts = List.copyOf(eventDrafts);
    ended = List.copyOf(ended);
  }

  /** An action that is no deletion of a disrupted Node. */
  public PlannedAction(List<EventDraft> eventDrafts, Action action, String why) {
    this(eventDrafts, action, why, List.of());
  }

  /** This action with these Events emitted before its own. */
  public PlannedAction after(List<EventDraft> earlier) {
    return withEventDrafts(Stream.concat(earlier.stream(), eventDrafts.stream()).toList());
  }

  /** This action with these Events emitted after its own. */
  public PlannedAction and(List<EventDraft> later) {
    return withEventDrafts(Stream.concat(eventDrafts.stream(), later.stream()).toList());
  }

  /**
   * This action with an Event that reports that its change does not stay. Reads, and actions that
   * only request something, get no Event.
   *
   * @param parts the parts that were set repeatedly
   * @param longest the longest wait before a part is set again
   */
  public PlannedAction notStaying(Set<String> parts, int times, Duration longest) {
    ActionTraits traits = action.traits();
    if (parts.isEmpty() || traits.regarding().isEmpty()) {
      return this;
    }
    EventDraft reverted =
        new EventDraft(
            EventReason.CHANGE_REVERTED,
            traits.regarding().get(),
            String.join(", ", parts),
            "%s: %s was set %d times and did not stay; another client changes it back. It is set again at growing intervals, of %s at most."
                .formatted(
                    ActionText.object(action.subject()),
                    traits.undone().orElseGet(() -> Messages.list(parts, NAMED)),
                    times,
                    Messages.duration(longest)));
    return and(List.of(reverted));
  }

  /** The write that sets CWNodeRemoval of this Node to this; empty if the Node shows it. */
  public static Optional<PlannedAction> reportRemoval(
      Node node, Optional<Node.Removing> says, String why) {
    return node.removing().equals(says)
        ? Optional.empty()
        : Optional.of(quiet(Action.WriteNode.reportRemoval(node, says), why));
  }

  /** An action without Events. */
  public static PlannedAction quiet(Action action, String why) {
    return new PlannedAction(List.of(), action, why);
  }
}
