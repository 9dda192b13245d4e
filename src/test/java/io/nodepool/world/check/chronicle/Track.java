package io.nodepool.world.check.chronicle;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.Predicate;

/** The values that a fact had, each from its instant on. The oldest value counts from the start. */
public sealed class Track<T> permits ObjectTrack {
  private record Since<T>(Instant at, T value) {}

  private final List<Since<T>> values = new ArrayList<>();

  Track(T first) {
    values.add(new Since<>(Instant.MIN, first));
  }

  /** The fact has this value from now on. */
  public void add(Instant at, T value) {
    if (!latest().equals(value)) {
      values.add(new Since<>(at, value));
    }
  }

  public T latest() {
    return values.getLast().value();
  }

  /**
   * Whether the fact had such a value at any time since, or until this instant: who was late from
   * then on knows what was before.
   */
  public boolean ever(Instant since, Predicate<T> is) {
    for (int i = values.size() - 1; i >= 0; i--) {
      if (is.test(values.get(i).value())) {
        return true;
      }
      if (values.get(i).at().isBefore(since)) {
        return false;
      }
    }
    return false;
  }

  /** Whether such a value was followed by another one, at any time. */
  public boolean ended(Predicate<T> is) {
    for (int i = 1; i < values.size(); i++) {
      if (is.test(values.get(i - 1).value()) && !is.test(values.get(i).value())) {
        return true;
      }
    }
    return false;
  }

  /** Whether a number that the fact has fell from one value to the next, at any time. */
  public boolean fell(Function<T, OptionalInt> number) {
    for (int i = 1; i < values.size(); i++) {
      OptionalInt before = number.apply(values.get(i - 1).value());
      OptionalInt next = number.apply(values.get(i).value());
      if (before.isPresent() && next.isPresent() && next.getAsInt() < before.getAsInt()) {
        return true;
      }
    }
    return false;
  }

  /** The value at this instant, after all that happened at it. */
  public T at(Instant instant) {
    for (int i = values.size() - 1; i > 0; i--) {
      if (!values.get(i).at().isAfter(instant)) {
        return values.get(i).value();
      }
    }
    return values.getFirst().value();
  }

  /** When the fact had such a value for the first time; empty if it never had one. */
  public Optional<Instant> first(Predicate<T> is) {
    return values.stream().filter(each -> is.test(each.value())).map(Since::at).findFirst();
  }

  /** When the fact got its last value that is such a one; empty if it never had one. */
  public Optional<Instant> last(Predicate<T> is) {
    for (int i = values.size() - 1; i >= 0; i--) {
      if (is.test(values.get(i).value())) {
        int first = i;
        while (first > 0 && is.test(values.get(first - 1).value())) {
          first--;
        }
        return Optional.of(values.get(first).at());
      }
    }
    return Optional.empty();
  }

  /** The values that the fact had since, the last one first. */
  public List<T> since(Instant since) {
    List<T> found = new ArrayList<>();
    ever(
        since,
        value -> {
          found.add(value);
          return false;
        });
    return found;
  }
}
