package io.nodepool.control.write;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The values that were recently set on objects, part by part, to distinguish a change that does not
 * last from a new one. The server confirmed each write; if the same write is requested again soon,
 * another client undoes it or it has no effect, and it is repeated with a growing wait. A value
 * that differs from the last one is new. Confined to one thread.
 *
 * @param <S> identifies an object
 */
final class RepeatedWrites<S> {
  /** The value that was set last, and how often it was set in a row. */
  private record Last(Object value, int times) {}

  private final BackOff backOff;
  private final RecentParts<S, String, Last> recent;

  /** Creates an empty record. */
  RepeatedWrites(BackOff backOff) {
    this.backOff = backOff;
    this.recent = new RecentParts<>(backOff.forgottenAfter());
  }

  /** The last time that a part was set, if it was set to this value. */
  private Optional<RecentParts.Noted<Last>> last(S object, Map.Entry<String, Object> part) {
    return recent
        .find(object, part.getKey())
        .filter(last -> last.value().value().equals(part.getValue()));
  }

  private int times(S object, Map.Entry<String, Object> part) {
    return last(object, part).map(last -> last.value().times()).orElse(0);
  }

  /** When these values may be set; {@link Instant#MIN} if one of them is new. */
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

  /** Whether each of these was set at least this number of times in a row. */
  boolean setAtLeast(S object, Map<String, Object> values, int times) {
    return !values.isEmpty()
        && values.entrySet().stream().allMatch(part -> times(object, part) >= times);
  }

  /** The parts that were set exactly this number of times in a row. */
  Set<String> setTimes(S object, Map<String, Object> values, int times) {
    Set<String> parts = new TreeSet<>();
    for (Map.Entry<String, Object> part : values.entrySet()) {
      if (times(object, part) == times) {
        parts.add(part.getKey());
      }
    }
    return parts;
  }

  /** Records that these values were set. */
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

  /** Discards a part, so that setting it again does not count as a repeat. */
  void forget(S object, String part) {
    recent.forget(object, part);
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
