package io.nodepool.fleet;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * What is done to a machine for an alert. It is recorded on the Host before it begins, so that it
 * counts for {@link #WINDOW} in any pool.
 *
 * @param alert the alert for which it is done
 * @param poolUid the pool that holds the machine then
 * @param at when it was decided
 * @param out whether its Host is set aside; else the machine is booted, reset or verified
 * @param proved whether a verification of this machine had failed for that alert
 * @param endedWork whether tenant work on its Node was ended
 * @param probe whether it was done to learn whether the alert is true
 * @param rack the rack whose machines were repaired together with it; empty text for it alone
 */
@RecordBuilder
public record PastRepair(
    String alert,
    String poolUid,
    Instant at,
    boolean out,
    boolean proved,
    boolean endedWork,
    boolean probe,
    String rack)
    implements PastRepairCopy.With {
  /** An entry for one machine alone, which is no probe. */
  public PastRepair(
      String alert, String poolUid, Instant at, boolean out, boolean proved, boolean endedWork) {
    this(alert, poolUid, at, out, proved, endedWork, false, "");
  }

  /** The time for which an entry counts. */
  public static final Duration WINDOW = Duration.ofHours(24);

  /** The most entries that stay on a Host. */
  public static final int REMEMBERED = 16;

  private static final Comparator<PastRepair> ORDER =
      Comparator.comparing(PastRepair::at)
          .thenComparing(PastRepair::alert)
          .thenComparing(PastRepair::poolUid);

  /**
   * The entries that still count, with this one in place of an equal one, oldest first. If there
   * are too many, the oldest is dropped.
   *
   * @param window {@link #WINDOW} in the time of this operator
   */
  public List<PastRepair> amid(List<PastRepair> others, Instant now, Duration window) {
    List<PastRepair> all =
        Stream.concat(
                others.stream()
                    .filter(each -> each.counts(now, window) && ORDER.compare(each, this) != 0),
                Stream.of(this))
            .sorted(ORDER)
            .toList();
    return all.subList(Math.max(0, all.size() - REMEMBERED), all.size());
  }

  /** Whether it was decided within this time. */
  public boolean counts(Instant now, Duration window) {
    return at.plus(window).isAfter(now);
  }
}
