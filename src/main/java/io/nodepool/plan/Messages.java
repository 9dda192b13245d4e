package io.nodepool.plan;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Formats names, counts and times for messages. Lists name the first few and a count, so that no
 * message grows with the pool.
 */
public final class Messages {
  private static final String MORE = "…";

  private Messages() {}

  /** The first {@code most} names, and the number of further names. */
  public static String list(Collection<String> names, int most) {
    return list(names, most, names.size());
  }

  /** The first {@code most} names, and the number of further names up to this total. */
  public static String list(Collection<String> first, int most, int total) {
    if (first.isEmpty()) {
      return "none";
    }
    int more = total - Math.min(first.size(), most);
    return first.stream().limit(most).collect(Collectors.joining(", "))
        + (more > 0 ? " and " + more + " more" : "");
  }

  /** The text; if it is larger than this size, it is cut and ends with an ellipsis. */
  public static String cut(String text, int bytes) {
    if (bytes(text) <= bytes) {
      return text;
    }
    int end = Math.min(text.length(), bytes);
    while (bytes(text.substring(0, end)) > bytes - bytes(MORE)
        || Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(0, end) + MORE;
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  /** A duration in its two largest units, such as 1h30m. */
  public static String duration(Duration duration) {
    if (duration.toMinutes() == 0) {
      return duration.toSeconds() == 0 ? duration.toMillis() + "ms" : duration.toSeconds() + "s";
    }
    String minutes = duration.toMinutesPart() == 0 ? "" : duration.toMinutesPart() + "m";
    if (duration.toHours() > 0) {
      return duration.toHours() + "h" + minutes;
    }
    return minutes + (duration.toSecondsPart() == 0 ? "" : duration.toSecondsPart() + "s");
  }

  /** An instant to the second, as Kubernetes writes it. */
  public static String instant(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  /** A number with its noun, in the plural unless the number is 1. */
  public static String count(int number, String thing) {
    return number + " " + thing + (number == 1 ? "" : "s");
  }

  /** The number of these things, with the names of the first ones. */
  public static String named(String thing, Collection<String> names, int most) {
    return "%s (%s)".formatted(count(names.size(), thing), list(names, most));
  }
}
