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
 * Which Events were emitted with the writes on each object lately, so that a write that is tried or
 * done again does not announce itself anew. What was not wanted for long is forgotten: emitting an
 * Event once more is harmless. Lives on the decision thread.
 */
final class RecentEvents {
  /** What makes an Event this one; its message and count may be brought up to date. */
  private record Occasion(EventReason reason, EventDraft.Regarding regarding, String occasion) {
    static Occasion of(EventDraft eventDraft) {
      return new Occasion(eventDraft.reason(), eventDraft.regarding(), eventDraft.occasion());
    }
  }

  private final RecentParts<Action.Subject, Occasion, EventDraft> recent;

  /**
   * @param quiet what was not wanted for so long is forgotten
   */
  RecentEvents(Duration quiet) {
    this.recent = new RecentParts<>(quiet);
  }

  /** The action with those Events only that were not emitted lately, or that say something new. */
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
    return new PlannedAction(
        plannedAction.eventDrafts().stream()
            .filter(eventDraft -> !known.contains(eventDraft))
            .toList(),
        plannedAction.action(),
        plannedAction.why());
  }

  private boolean isKnown(Action.Subject subject, EventDraft eventDraft) {
    return recent
        .find(subject, Occasion.of(eventDraft))
        .filter(last -> last.value().equals(eventDraft))
        .isPresent();
  }

  /** Notes that these were emitted with a write on this object. */
  void emitted(Action.Subject subject, List<EventDraft> eventDrafts, Instant now) {
    Map<Occasion, EventDraft> events = new HashMap<>();
    eventDrafts.forEach(eventDraft -> events.put(Occasion.of(eventDraft), eventDraft));
    recent.note(subject, events, now);
  }

  /**
   * Forgets objects about which nothing was announced for long.
   *
   * @return when to do so again
   */
  Optional<Instant> forgetOld(Instant now) {
    return recent.forgetOld(now);
  }

  /** Objects that are remembered. */
  int size() {
    return recent.size();
  }
}
