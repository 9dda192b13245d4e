package io.nodepool.control;

import io.nodepool.plan.Action;
import io.nodepool.plan.Notice;
import io.nodepool.plan.Step;
import io.nodepool.vocabulary.EventReason;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * Which Events were told with the writes on each object lately, so that a write that is tried or
 * done again does not announce itself anew. What was not wanted for long is forgotten: telling an
 * Event once more is harmless. Lives on the decision thread.
 */
final class ToldLately {
  /** What makes an Event this one; its message and count may be brought up to date. */
  private record Occasion(EventReason reason, Notice.Regarding regarding, String occasion) {
    static Occasion of(Notice notice) {
      return new Occasion(notice.reason(), notice.regarding(), notice.occasion());
    }
  }

  /** An Event as it was told, and when that was last wanted. */
  private record Told(Notice notice, Instant at) {}

  private final Duration quiet;

  /** Those come first about which something was last announced longest ago. */
  private final SequencedMap<Action.Subject, Map<Occasion, Told>> objects = new LinkedHashMap<>();

  /**
   * @param quiet what was not wanted for so long is forgotten
   */
  ToldLately(Duration quiet) {
    this.quiet = quiet;
  }

  /** The step with those notices only that were not told lately, or that say something new. */
  Step news(Step step, Instant now) {
    Map<Occasion, Told> events = objects.get(step.action().subject());
    if (events == null || step.notices().isEmpty()) {
      return step;
    }
    List<Notice> known =
        step.notices().stream()
            .filter(notice -> {
              Told told = events.get(Occasion.of(notice));
              return told != null && told.notice().equals(notice);
            })
            .toList();
    told(step.action().subject(), known, now);
    return new Step(
        step.notices().stream().filter(notice -> !known.contains(notice)).toList(),
        step.action(),
        step.why());
  }

  /** Notes that these were told with a write on this object. */
  void told(Action.Subject subject, List<Notice> notices, Instant now) {
    if (notices.isEmpty()) {
      return;
    }
    Map<Occasion, Told> events =
        Optional.ofNullable(objects.remove(subject)).orElseGet(HashMap::new);
    Instant longAgo = now.minus(quiet);
    events.values().removeIf(told -> told.at().isBefore(longAgo));
    notices.forEach(notice -> events.put(Occasion.of(notice), new Told(notice, now)));
    objects.put(subject, events);
  }

  /**
   * Forgets objects about which nothing was announced for long.
   *
   * @return when to do so again
   */
  Optional<Instant> forgetOld(Instant now) {
    while (!objects.isEmpty()) {
      Instant end = latest(objects.firstEntry().getValue()).plus(quiet);
      if (end.isAfter(now)) {
        return Optional.of(end);
      }
      objects.pollFirstEntry();
    }
    return Optional.empty();
  }

  private static Instant latest(Map<Occasion, Told> events) {
    return events.values().stream().map(Told::at).max(Instant::compareTo).orElse(Instant.MIN);
  }

  /** Objects that are remembered. */
  int size() {
    return objects.size();
  }
}
