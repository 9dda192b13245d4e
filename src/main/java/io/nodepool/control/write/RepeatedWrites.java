package io.nodepool.control.write;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What was set on objects lately, part by part, to tell a change that does not stay from one that
 * is new. The server said each time that it is done; so if the same is wanted again at once,
 * somebody undoes it or nothing comes of it, and it is repeated with a growing wait. Whatever has
 * another value than last is new. Lives on one thread.
 *
 * @param <S> what tells one object from another
 */
final class RepeatedWrites<S> {
  /** A value as it was set last, and how often it was set without another one in between. */
  private record Last(Object value, int times) {}

  private final BackOff backOff;
  private final RecentParts<S, String, Last> recent;

  /** Nothing was set yet. */
  RepeatedWrites(BackOff backOff) {
    this.backOff = backOff;
    this.recent = new RecentParts<>(backOff.forgottenAfter());
  }

  /** How and when a part was set last, if it was to this value. */
  private Optional<RecentParts.Noted<Last>> last(S object, Map.Entry<String, Object> part) {
    return recent
        .find(object, part.getKey())
        .filter(last -> last.value().value().equals(part.getValue()));
  }

  private int times(S object, Map.Entry<String, Object> part) {
    return last(object, part).map(last -> last.value().times()).orElse(0);
  }

  /** When these values may be set; long past if one of them is new. */
  Instant notBefore(S object, Map<String, Object> values) {
    Instant latest = Instant.MIN;
    for (Map.Entry<String, Object> part : values.entrySet()) {
      Optional<RecentParts.Noted<Last>> last = last(object, part);
      if (last.isEmpty()) {
        return Instant.MIN;
      }
      Instant free = last.get().at().plus(backOff.after(last.get().value().times()));
      latest = free.isAfter(latest) ? free : latest;
    }
    return latest;
  }

  /** Whether each of these was set so many times in a row, or more often. */
  boolean setAtLeast(S object, Map<String, Object> values, int times) {
    return !values.isEmpty()
        && values.entrySet().stream().allMatch(part -> times(object, part) >= times);
  }

  /** The parts of these that were set just so many times in a row. */
  Set<String> setTimes(S object, Map<String, Object> values, int times) {
    Set<String> parts = new TreeSet<>();
    for (Map.Entry<String, Object> part : values.entrySet()) {
      if (times(object, part) == times) {
        parts.add(part.getKey());
      }
    }
    return parts;
  }

  /** Notes that these values were set. */
  void done(S object, Map<String, Object> values, Instant now) {
    Instant longAgo = now.minus(backOff.forgottenAfter());
    Map<String, Last> next = new HashMap<>();
    for (Map.Entry<String, Object> part : values.entrySet()) {
      int before =
          last(object, part)
              .filter(last -> !last.at().isBefore(longAgo))
              .map(last -> last.value().times())
              .orElse(0);
      next.put(part.getKey(), new Last(part.getValue(), before + 1));
    }
    recent.note(object, next, now);
  }

  /** Setting this part again is no repeat. */
  void forget(S object, String part) {
    recent.forget(object, part);
  }

  /**
   * Forgets objects on which nothing was set for long.
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
