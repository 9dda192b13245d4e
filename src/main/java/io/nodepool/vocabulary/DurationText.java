package io.nodepool.vocabulary;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses durations in Go's format: {@code 90s}, {@code 1h30m}, {@code 1.5h}. */
public final class DurationText {
  private static final Pattern PART = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ms|s|m|h)");
  private static final int LONGEST = 32;

  private DurationText() {}

  /** The duration, at most some 290 years; empty if the text is not a valid duration. */
  public static Optional<Duration> parse(String text) {
    if (text.isEmpty() || text.length() > LONGEST) {
      return Optional.empty();
    }
    BigDecimal nanos = BigDecimal.ZERO;
    Matcher part = PART.matcher(text);
    int end = 0;
    while (end < text.length()) {
      if (!part.find(end) || part.start() != end) {
        return Optional.empty();
      }
      nanos = nanos.add(new BigDecimal(part.group(1)).multiply(nanos(part.group(2))));
      end = part.end();
    }
    return nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(nanos.setScale(0, RoundingMode.HALF_UP).longValueExact()));
  }

  private static BigDecimal nanos(String unit) {
    return BigDecimal.valueOf(
        switch (unit) {
          case "ms" -> 1_000_000L;
          case "s" -> 1_000_000_000L;
          case "m" -> 60_000_000_000L;
          default -> 3_600_000_000_000L;
        });
  }
}
