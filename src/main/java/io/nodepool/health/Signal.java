package io.nodepool.health;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * A fact about the health of a machine that someone reports.
 *
 * @param since since when it has been observed, by its source's clock
 * @param ended when it ended; empty while it stands
 * @param bootId the boot of the machine during which it was observed; empty text if its source does
 *     not say
 * @param severity how severe its source calls it; empty text if it does not say
 * @param message a sentence for people; may be empty text
 * @param reported when its source last confirmed it, as far as that is known; empty if nothing has
 *     to: a fleet's report is its present status, and the operator observes by itself
 */
@RecordBuilder
public record Signal(
    SignalKey key,
    Instant since,
    Optional<Instant> ended,
    String bootId,
    String severity,
    String message,
    Optional<Instant> reported)
    implements SignalCopy.With {
  /** The most signals of one Host. */
  public static final int MOST = 64;

  /** The most characters of a message. */
  public static final int LONGEST_MESSAGE = 120;

  /** A signal that stands, about which its source says no more. */
  public static Signal standing(SignalKey key, Instant since) {
    return new Signal(key, since, Optional.empty(), "", "", "", Optional.empty());
  }

  /** Its name. */
  public String name() {
    return key.name();
  }

  /** Whether its source says that it stands. */
  public boolean stands() {
    return ended.isEmpty();
  }

  /** This signal, ended at this time. */
  public Signal endedAt(Instant at) {
    return withEnded(Optional.of(at));
  }

  /** Whether its source has confirmed it since then, or need not. */
  boolean isReportedSince(Instant at) {
    return reported.filter(at::isAfter).isEmpty();
  }
}
