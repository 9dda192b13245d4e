package io.nodepool.control;

import io.nodepool.control.write.RecentParts;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The Events that were recently emitted with the writes on each object, so that a write that is
 * retried or repeated does not emit them again. Entries expire; it is harmless to emit an Event
 * once more. Confined to the decision thread.
 */
final class RecentEvents {
  /** The identity of an Event; its message and count may be updated. */
  private record Occasion(EventReason reason, EventDraft.Regarding regarding, String occasion) {
    static Occasion of(EventDraft eventDraft) {
      return new Occasion(eventDraft.reason(), eventDraft.regarding(), eventDraft.occasion());
    }
  }

  private final RecentParts<Action.Subject, Occasion, EventDraft> recent;

  /**
   * @param quiet how long an entry is kept after its last use
   */
  RecentEvents(Duration quiet) {
    this.recent = new RecentParts<>(quiet);
  }

  /**
   * Returns the action with only those Events that were not emitted recently, or whose message
   * changed.
   */
  PlannedAction news(PlannedAction plannedAction, Instant now) {
    Action.Subject subject = plannedAction.action().subject();
    List<EventDraft> known =
        plannedAction.eventDrafts().stream()
            .filter(eventDraft -> isKnown(subject, eventDraft))
            .toList();
    if (known.isEmpty()) {
      return plannedAction;
    }
    emitted(subject, known, now);
    return plannedAction.withEventDrafts(
        plannedAction.eventDrafts().stream()
            .filter(eventDraft -> !known.contains(eventDraft))
            .toList());
  }

  private boolean isKnown(Action.Subject subject, EventDraft eventDraft) {
    return recent
        .find(subject, Occasion.of(eventDraft))
        .filter(last -> last.value().equals(eventDraft))
        .isPresent();
  }

  /** Records that these Events were emitted with a write on this object. */
  void emitted(Action.Subject subject, List<EventDraft> eventDrafts, Instant now) {
    Map<Occasion, EventDraft> events = new HashMap<>();
    eventDrafts.forEach(eventDraft -> events.put(Occasion.of(eventDraft), eventDraft));
    recent.note(subject, events, now);
  }

  /**
   * Discards the expired entries.
   *
   * @return when to run again
   */
  Optional<Instant> forgetOld(Instant now) {
    return recent.forgetOld(now);
  }

  /** The number of objects with an entry. */
  int size() {
    return recent.size();
  }
}
