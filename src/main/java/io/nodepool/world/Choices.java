package io.nodepool.world;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/** The steps that are possible at an instant. Only the chosen step is created. */
final class Choices {
  /**
   * Steps of one kind.
   *
   * @param last the index after the last of these steps
   */
  private record Part<T>(int last, int count, Collection<T> of, Predicate<T> is, Consumer<T> step) {
    void take(int index) {
      int before = last - count;
      for (T each : of) {
        if (is.test(each) && before++ == index) {
          step.accept(each);
          return;
        }
      }
    }
  }

  private final List<Part<?>> parts = new ArrayList<>();
  private int count;

  /** Adds a step. */
  void add(Runnable step) {
    add(List.of(step), Runnable::run);
  }

  /** Adds a step for each element. */
  <T> void add(Collection<T> of, Consumer<T> step) {
    if (!of.isEmpty()) {
      count += of.size();
      parts.add(new Part<>(count, of.size(), of, _ -> true, step));
    }
  }

  /** Adds a step for each element whose step is possible now. */
  <T> void add(Collection<T> of, Predicate<T> is, Consumer<T> step) {
    int possible = 0;
    for (T each : of) {
      if (is.test(each)) {
        possible++;
      }
    }
    if (possible > 0) {
      count += possible;
      parts.add(new Part<>(count, possible, of, is, step));
    }
  }

  /** The number of steps. */
  int count() {
    return count;
  }

  /** Takes the step with this index, in the order in which they were added. */
  void take(int index) {
    for (Part<?> part : parts) {
      if (index < part.last()) {
        part.take(index);
        return;
      }
    }
  }
}
