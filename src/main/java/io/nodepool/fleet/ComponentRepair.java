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
 * @param earlier when the attempts before this one were requested, oldest first; the last {@link
 *     #MOST_EARLIER} at most
 */
public record ComponentRepair(
    String alert, String component, int attempt, Instant at, List<Instant> earlier) {
  /** The most attempts within any {@link #WINDOW} (decision D34). */
  public static final int MOST_ATTEMPTS = 3;

  /** The number of attempts before the last one that must be remembered to count them. */
  public static final int MOST_EARLIER = MOST_ATTEMPTS - 1;

  /** The time within which attempts count. */
  public static final Duration WINDOW = Duration.ofHours(24);

  /** The most requests that stay on a Host. */
  public static final int REMEMBERED = 8;

  /**
   * The fleet's answer to an attempt.
   *
   * @param succeeded whether it repaired the component; the alert shows whether that helped
   * @param message what was done, for people; may be empty text
   */
  public record RepairAnswer(
      String alert, int attempt, boolean succeeded, Instant at, String message) {}

  public ComponentRepair {
    earlier =
        List.copyOf(earlier.subList(Math.max(0, earlier.size() - MOST_EARLIER), earlier.size()));
  }

  /** The request for this alert; empty if none was made. */
  public static Optional<ComponentRepair> find(List<ComponentRepair> of, String alert) {
    return of.stream().filter(each -> each.alert().equals(alert)).findFirst();
  }

  /** The next attempt for an alert: one more than the last, whenever that was. */
  public static ComponentRepair next(
      Optional<ComponentRepair> last, String alert, String component, Instant at) {
    return new ComponentRepair(
        alert,
        component,
        last.map(ComponentRepair::attempt).orElse(0) + 1,
        at,
        last.map(each -> each.requested().toList()).orElse(List.of()));
  }

  private Stream<Instant> requested() {
    return Stream.concat(earlier.stream(), Stream.of(at));
  }

  /**
   * Whether no further attempt is made now, since the attempts within the window did not help.
   *
   * @param window {@link #WINDOW} in the time of this operator
   */
  public boolean isLast(Duration window, Instant now) {
    return requested().filter(each -> each.plus(window).isAfter(now)).count() >= MOST_ATTEMPTS;
  }

  /** These requests with this one, ordered by alert; if there are too many, without the oldest. */
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

  /** The fleet's answer to this attempt; empty while there is none. */
  public Optional<RepairAnswer> answer(List<RepairAnswer> answers) {
    return answers.stream()
        .filter(each -> each.alert().equals(alert) && each.attempt() == attempt)
        .findFirst();
  }
}
