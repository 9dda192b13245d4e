package io.nodepool.world;

import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.PriorityQueue;

/**
 * Actions scheduled at given times. Actions for the same time run in the order of their addition.
 */
final class Agenda {
  private record Item(Instant at, long number, Runnable what) {}

  private final PriorityQueue<Item> items =
      new PriorityQueue<>(Comparator.comparing(Item::at).thenComparingLong(Item::number));
  private long noted;

  void add(Instant at, Runnable what) {
    items.add(new Item(at, noted++, what));
  }

  /** When the next action is due. */
  Optional<Instant> next() {
    return Optional.ofNullable(items.peek()).map(Item::at);
  }

  /** Removes and returns the next action, if it is due. */
  Optional<Runnable> take(Instant now) {
    return next().filter(at -> !at.isAfter(now)).map(at -> items.remove().what());
  }

  boolean isEmpty() {
    return items.isEmpty();
  }
}
