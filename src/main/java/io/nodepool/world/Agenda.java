package io.nodepool.world;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/** What is to happen at given times; at the same time, in the order in which it was noted. */
final class Agenda {
  private record Item(Instant at, long number, Runnable what) {}

  private final PriorityQueue<Item> items =
      new PriorityQueue<>(Comparator.comparing(Item::at).thenComparingLong(Item::number));
  private long noted;

  void add(Instant at, Runnable what) {
    items.add(new Item(at, noted++, what));
  }

  /** When the next thing is to happen. */
  Optional<Instant> next() {
    return Optional.ofNullable(items.peek()).map(Item::at);
  }

  /** Takes the next thing off the agenda, if it is time for it. */
  Optional<Runnable> take(Instant now) {
    return next().filter(at -> !at.isAfter(now)).map(at -> items.remove().what());
  }

  boolean isEmpty() {
    return items.isEmpty();
  }
}
