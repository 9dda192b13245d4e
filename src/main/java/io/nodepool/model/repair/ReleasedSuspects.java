package io.nodepool.model.repair;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The alerts that a user of a pool released, so that they are not in doubt until an instant.
 *
 * @param until the end of each release, by the name of the alert
 * @param misread a part of the text that is not {@code ALERT/UNTIL}; empty text if there is none
 */
public record ReleasedSuspects(SortedMap<String, Instant> until, String misread) {
  /** None. */
  public static final ReleasedSuspects NONE = new ReleasedSuspects(new TreeMap<>(), "");

  public ReleasedSuspects {
    until = Collections.unmodifiableSortedMap(new TreeMap<>(until));
  }

  /** Reads what a user has written: {@code ALERT/UNTIL}, several of them separated by commas. */
  public static ReleasedSuspects read(String text) {
    SortedMap<String, Instant> until = new TreeMap<>();
    String misread = "";
    for (String part : text.isBlank() ? new String[0] : text.split(",", -1)) {
      String[] sides = part.strip().split("/", 2);
      Optional<Instant> end = sides.length == 2 ? instant(sides[1].strip()) : Optional.empty();
      if (end.isPresent()) {
        until.put(sides[0].strip(), end.get());
      } else if (misread.isEmpty()) {
        misread = part.strip();
      }
    }
    return until.isEmpty() && misread.isEmpty() ? NONE : new ReleasedSuspects(until, misread);
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** The text with one more alert that is released until an end, and without expired releases. */
  public String textWith(String alert, Instant end, Instant now) {
    SortedMap<String, Instant> next = new TreeMap<>(until);
    next.values().removeIf(each -> !each.isAfter(now));
    next.put(alert, end);
    return next.entrySet().stream()
        .map(each -> each.getKey() + "/" + each.getValue())
        .collect(Collectors.joining(","));
  }

  /** Whether an alert is released now. */
  public boolean isReleased(String alert, Instant now) {
    Instant end = until.get(alert);
    return end != null && end.isAfter(now);
  }
}
