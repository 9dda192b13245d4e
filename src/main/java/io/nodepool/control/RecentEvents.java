package io.nodepool.control;

import io.nodepool.control.write.RecentParts;
import io.nodepool.plan.Action;
import io.nodepool.plan.Notice;
import io.nodepool.plan.Step;
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
  private record Occasion(EventReason reason, Notice.Regarding regarding, String occasion) {
    static Occasion of(Notice notice) {
      return new Occasion(notice.reason(), notice.regarding(), notice.occasion());
    }
  }

  private final RecentParts<Action.Subject, Occasion, Notice> recent;

  /**
   * @param quiet what was not wanted for so long is forgotten
   */
  RecentEvents(Duration quiet) {
    this.recent = new RecentParts<>(quiet);
  }

  /** The step with those notices only that were not emitted lately, or that say something new. */
  Step news(Step step, Instant now) {
    Action.Subject subject = step.action().subject();
    List<Notice> known =
        step.notices().stream().filter(notice -> isKnown(subject, notice)).toList();
    if (known.isEmpty()) {
      return step;
    }
    emitted(subject, known, now);
    return new Step(
        step.notices().stream().filter(notice -> !known.contains(notice)).toList(),
        step.action(),
        step.why());
  }

  private boolean isKnown(Action.Subject subject, Notice notice) {
    return recent
        .find(subject, Occasion.of(notice))
        .filter(last -> last.value().equals(notice))
        .isPresent();
  }

  /** Notes that these were emitted with a write on this object. */
  void emitted(Action.Subject subject, List<Notice> notices, Instant now) {
    Map<Occasion, Notice> events = new HashMap<>();
    notices.forEach(notice -> events.put(Occasion.of(notice), notice));
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
