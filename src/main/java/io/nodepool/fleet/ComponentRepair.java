package io.nodepool.fleet;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The operator's request that a component of a machine be repaired while the machine runs, such as
 * a restart of the containers on its DPU (decisions D30 and D75). The fleet answers each attempt
 * once.
 *
 * @param alert the alert for which it is repaired; a Host has one request for each alert
 * @param component the part of the machine, such as {@code dpu0}; empty text if the alert names
 *     none
 * @param attempt the number of this attempt, from 1; a higher one asks the fleet to try again
 * @param at when it was requested
 * @param since when the first of these attempts was requested
 */
public record ComponentRepair(
    String alert, String component, int attempt, Instant at, Instant since) {
  /** The most attempts within {@link #WINDOW} (decision D34). */
  public static final int MOST_ATTEMPTS = 3;

  /** The time within which they count, from the first one. */
  public static final Duration WINDOW = Duration.ofHours(24);

  /** The most requests that stay on a Host. */
  public static final int REMEMBERED = 8;

  /**
   * What the fleet says of an attempt.
   *
   * @param succeeded whether it repaired the component; whether that helps, the alert shows
   * @param message what was done, for people; may be empty text
   */
  public record RepairAnswer(
      String alert, int attempt, boolean succeeded, Instant at, String message) {}

  /** The request for this alert; empty if none was made. */
  public static Optional<ComponentRepair> find(List<ComponentRepair> of, String alert) {
    return of.stream().filter(each -> each.alert().equals(alert)).findFirst();
  }

  /**
   * The next attempt for an alert: one more than the last, or the first one if those before began
   * longer ago than they count.
   *
   * @param window {@link #WINDOW} in the time of this operator
   */
  public static ComponentRepair next(
      Optional<ComponentRepair> last, String alert, String component, Duration window, Instant at) {
    return last.filter(each -> each.counts(window, at))
        .map(each -> new ComponentRepair(alert, component, each.attempt() + 1, at, each.since()))
        .orElseGet(() -> new ComponentRepair(alert, component, 1, at, at));
  }

  private boolean counts(Duration window, Instant now) {
    return since.plus(window).isAfter(now);
  }

  /** Whether no further attempt is made, since the others before did not help. */
  public boolean isLast(Duration window, Instant now) {
    return attempt >= MOST_ATTEMPTS && counts(window, now);
  }

  /** These requests with this one, ordered by alert: of too many the oldest one goes. */
  public List<ComponentRepair> amid(List<ComponentRepair> others) {
    Stream<ComponentRepair> latest =
        others.stream()
            .filter(each -> !each.alert().equals(alert))
            .sorted(Comparator.comparing(ComponentRepair::at).reversed())
            .limit(REMEMBERED - 1L);
    return Stream.concat(latest, Stream.of(this))
        .sorted(Comparator.comparing(ComponentRepair::alert))
        .toList();
  }

  /** What the fleet says of this attempt; empty while it has not answered. */
  public Optional<RepairAnswer> answer(List<RepairAnswer> answers) {
    return answers.stream()
        .filter(each -> each.alert().equals(alert) && each.attempt() == attempt)
        .findFirst();
  }
}
