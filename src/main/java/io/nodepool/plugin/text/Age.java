package io.nodepool.plugin.text;

import io.nodepool.kubernetes.convert.ObjectFacts;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Ages in the notation of kubectl: {@code 45s}, {@code 4m32s}, {@code 3d4h}. */
public final class Age {
  private static final long MINUTE = 60;
  private static final long HOUR = TimeUnit.HOURS.toSeconds(1);
  private static final long DAY = TimeUnit.DAYS.toSeconds(1);
  private static final long YEAR = 365 * DAY;

  private Age() {}

  /** The time that has passed since an instant on an object. */
  public static String since(String instant, Instant now) {
    return ObjectFacts.readableTime(instant)
        .map(begin -> of(Duration.between(begin, now)))
        .orElse("<unknown>");
  }

  /** A duration, as kubectl writes ages. */
  public static String of(Duration duration) {
    long passed = Math.max(0, duration.toSeconds());
    if (passed < 2 * MINUTE) {
      return passed + "s";
    } else if (passed < 10 * MINUTE) {
      return two(passed, MINUTE, "m", 1, "s");
    } else if (passed < 3 * HOUR) {
      return passed / MINUTE + "m";
    } else if (passed < 8 * HOUR) {
      return two(passed, HOUR, "h", MINUTE, "m");
    } else if (passed < 2 * DAY) {
      return passed / HOUR + "h";
    } else if (passed < 8 * DAY) {
      return two(passed, DAY, "d", HOUR, "h");
    } else if (passed < 2 * YEAR) {
      return passed / DAY + "d";
    } else if (passed < 8 * YEAR) {
      return two(passed, YEAR, "y", DAY, "d");
    }
    return passed / YEAR + "y";
  }

  /** The larger unit, and the rest in the smaller one unless it is zero. */
  private static String two(long passed, long large, String letter, long small, String rest) {
    long left = passed % large / small;
    return passed / large + letter + (left == 0 ? "" : left + rest);
  }
}
