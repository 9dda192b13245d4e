package io.nodepool.drill.script;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** When an entry of a script happens, from the start of the drill. */
public sealed interface When {
  /** Once. */
  record At(Duration time) implements When {}

  /** Again and again, from this time on. */
  record Every(Duration every, Duration from) implements When {}

  /**
   * At random, independently of what happened before.
   *
   * @param times how often within that time on average
   */
  record Chance(int times, Duration within) implements When {}

  /** Its times in a drill of this duration; equal for equal random numbers. */
  default List<Duration> times(Duration lasts, SplittableRandom random) {
    List<Duration> times = new ArrayList<>();
    switch (this) {
      case At(Duration time) -> times.add(time);
      case Every(Duration every, Duration from) -> {
        for (Duration next = from; next.compareTo(lasts) < 0; next = next.plus(every)) {
          times.add(next);
        }
      }
      case Chance(int number, Duration within) -> {
        double mean = (double) within.toMillis() / number;
        for (double next = gap(mean, random); next < lasts.toMillis(); next += gap(mean, random)) {
          times.add(Duration.ofMillis((long) next));
        }
      }
    }
    times.removeIf(time -> time.compareTo(lasts) >= 0);
    return times;
  }

  private static double gap(double mean, SplittableRandom random) {
    return -mean * Math.log(1 - random.nextDouble());
  }
}
