package io.nodepool.model.repair;

import java.time.DateTimeException;
import java.time.Instant;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The alerts that a user of a pool does not hold to be false, though they stand on many of its
 * Nodes: each until an instant.
 *
 * @param until by the names of the alerts
 * @param misread a part of the text that is not {@code ALERT/UNTIL}; empty text without one
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
      int slash = part.indexOf('/');
      try {
        until.put(
            part.substring(0, slash).strip(), Instant.parse(part.substring(slash + 1).strip()));
      } catch (DateTimeException | StringIndexOutOfBoundsException e) {
        misread = misread.isEmpty() ? part.strip() : misread;
      }
    }
    return until.isEmpty() && misread.isEmpty() ? NONE : new ReleasedSuspects(until, misread);
  }

  /** Whether an alert is released now. */
  public boolean isReleased(String alert, Instant now) {
    Instant end = until.get(alert);
    return end != null && end.isAfter(now);
  }
}
