package io.nodepool.control;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
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
public final class Repeats<S> {
  /** A value as it was set last, and how often it was set without another one in between. */
  private record Last(Object value, int times, Instant at) {}

  private final BackOff backOff;

  /** Those come first that were set longest ago. */
  private final SequencedMap<S, Map<String, Last>> objects = new LinkedHashMap<>();

  /** Nothing was set yet. */
  public Repeats(BackOff backOff) {
    this.backOff = backOff;
  }

  /** When these values may be set; long past if one of them is new. */
  public Instant notBefore(S object, Map<String, Object> values) {
    Map<String, Last> known = objects.getOrDefault(object, Map.of());
    Instant latest = Instant.MIN;
    for (Map.Entry<String, Object> value : values.entrySet()) {
      Last last = known.get(value.getKey());
      if (last == null || !last.value().equals(value.getValue())) {
        return Instant.MIN;
      }
      Instant free = last.at().plus(backOff.after(last.times()));
      latest = free.isAfter(latest) ? free : latest;
    }
    return latest;
  }

  /** Whether each of these was set so many times in a row, or more often. */
  public boolean setAtLeast(S object, Map<String, Object> values, int times) {
    Map<String, Last> known = objects.getOrDefault(object, Map.of());
    return !values.isEmpty()
        && values.entrySet().stream()
            .allMatch(value -> {
              Last last = known.get(value.getKey());
              return last != null && last.value().equals(value.getValue()) && last.times() >= times;
            });
  }

  /** The parts of these that were set just so many times in a row. */
  public Set<String> setTimes(S object, Map<String, Object> values, int times) {
    Map<String, Last> known = objects.getOrDefault(object, Map.of());
    Set<String> parts = new TreeSet<>();
    values.forEach((part, value) -> {
      Last last = known.get(part);
      if (last != null && last.value().equals(value) && last.times() == times) {
        parts.add(part);
      }
    });
    return parts;
  }

  /** Notes that these values were set. */
  public void done(S object, Map<String, Object> values, Instant now) {
    if (values.isEmpty()) {
      return;
    }
    Instant longAgo = now.minus(backOff.forgottenAfter());
    Map<String, Last> next = new HashMap<>(objects.getOrDefault(object, Map.of()));
    next.values().removeIf(last -> last.at().isBefore(longAgo));
    values.forEach((part, value) -> {
      Last last = next.get(part);
      int before = last != null && last.value().equals(value) ? last.times() : 0;
      next.put(part, new Last(value, before + 1, now));
    });
    objects.remove(object);
    objects.put(object, Map.copyOf(next));
  }

  /** Setting this part again is no repeat. */
  public void forget(S object, String part) {
    Map<String, Last> known = objects.get(object);
    if (known != null && known.containsKey(part)) {
      Map<String, Last> next = new HashMap<>(known);
      next.remove(part);
      if (next.isEmpty()) {
        objects.remove(object);
      } else {
        objects.replace(object, Map.copyOf(next));
      }
    }
  }

  /**
   * Forgets objects on which nothing was set for long.
   *
   * @return when to do so again
   */
  public Optional<Instant> forgetOld(Instant now) {
    Duration quiet = backOff.forgottenAfter();
    while (!objects.isEmpty()) {
      Instant end = latest(objects.firstEntry().getValue()).plus(quiet);
      if (end.isAfter(now)) {
        return Optional.of(end);
      }
      objects.pollFirstEntry();
    }
    return Optional.empty();
  }

  private static Instant latest(Map<String, Last> parts) {
    return parts.values().stream().map(Last::at).max(Instant::compareTo).orElse(Instant.MIN);
  }

  /** Objects that are remembered. */
  public int size() {
    return objects.size();
  }
}
