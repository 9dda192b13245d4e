package io.nodepool.world.operator;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** One timer for each key, in the order in which they expire. */
public final class KeyTimers<K> {
  private record Timer<K>(K key, Instant at, long number) {}

  private final Map<K, Timer<K>> byKey = new HashMap<>();
  private final TreeSet<Timer<K>> byTime =
      new TreeSet<>(
          Comparator.<Timer<K>, Instant>comparing(Timer::at).thenComparingLong(Timer::number));
  private long numbers;

  /** Sets the timer of a key, or sets it anew. */
  public void put(K key, Instant at) {
    Timer<K> last = byKey.get(key);
    Timer<K> next = new Timer<>(key, at, last == null ? numbers++ : last.number());
    if (last != null) {
      byTime.remove(last);
    }
    byKey.put(key, next);
    byTime.add(next);
  }

  /** Sets the timer of a key, unless it expires sooner. */
  public void putIfSooner(K key, Instant at) {
    Timer<K> last = byKey.get(key);
    if (last == null || at.isBefore(last.at())) {
      put(key, at);
    }
  }

  /** Stops the timer of a key, if it has one. */
  public void remove(K key) {
    Timer<K> last = byKey.remove(key);
    if (last != null) {
      byTime.remove(last);
    }
  }

  /** Whether the key has a timer. */
  public boolean has(K key) {
    return byKey.containsKey(key);
  }

  /** The keys that have a timer. */
  public Set<K> keys() {
    return Set.copyOf(byKey.keySet());
  }

  /** Whether there is no timer. */
  public boolean isEmpty() {
    return byKey.isEmpty();
  }

  /** When the next timer expires. */
  public Optional<Instant> next() {
    return byTime.isEmpty() ? Optional.empty() : Optional.of(byTime.first().at());
  }

  /** Moves the keys of timers that have expired, in the order in which they were first set. */
  public void expire(Instant now, Collection<K> due) {
    TreeSet<Timer<K>> expired = new TreeSet<>(Comparator.comparingLong(Timer::number));
    while (!byTime.isEmpty() && !byTime.first().at().isAfter(now)) {
      expired.add(byTime.removeFirst());
    }
    expired.forEach(timer -> {
      byKey.remove(timer.key());
      due.add(timer.key());
    });
  }
}
