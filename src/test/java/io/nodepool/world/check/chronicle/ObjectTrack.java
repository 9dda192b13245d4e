package io.nodepool.world.check.chronicle;

import java.time.Instant;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What an object of one name was, each from its instant on; it may not have existed. */
public final class ObjectTrack<T> extends Track<Optional<T>> {
  ObjectTrack(Optional<T> first) {
    super(first);
  }

  /** The track of an object that never existed. */
  static <T> ObjectTrack<T> none() {
    return new ObjectTrack<>(Optional.empty());
  }

  /** Whether it was such a one at any time since, or until this instant. */
  public boolean was(Instant since, Predicate<T> is) {
    return ever(since, object -> object.filter(is).isPresent());
  }

  /** Whether it was such a one at any time in the run. */
  public boolean was(Predicate<T> is) {
    return was(Instant.MIN, is);
  }

  /** Whether it was no such one at any time since, or until this instant. */
  public boolean wasNot(Instant since, Predicate<T> is) {
    return ever(since, object -> object.filter(is).isEmpty());
  }

  /** Since when it was such a one the last time; empty if it never was. */
  public Optional<Instant> lastWas(Predicate<T> is) {
    return last(object -> object.filter(is).isPresent());
  }

  /** Since when it was no such one the last time; empty if it always was. */
  public Optional<Instant> lastWasNot(Predicate<T> is) {
    return last(object -> object.filter(is).isEmpty());
  }

  /** Whether it was such a one, and then was not any more, at any time. */
  public boolean ceased(Predicate<T> is) {
    return ended(object -> object.filter(is).isPresent());
  }

  /** All that it was since, the last one first. */
  public Stream<T> all(Instant since) {
    return since(since).stream().flatMap(Optional::stream);
  }
}
