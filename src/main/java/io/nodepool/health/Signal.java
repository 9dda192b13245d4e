package io.nodepool.health;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.Optional;

/**
 * A fact about the health of a machine, as a source reports it.
 *
 * @param since since when it has been observed, by its source's clock
 * @param ended when it ended; empty while it is active
 * @param bootId the boot of the machine during which it was observed; empty text if its source does
 *     not report it
 * @param severity the severity that its source reports; empty text if it reports none
 * @param message a sentence for people; may be empty text
 * @param reported when its source last confirmed it, as far as that is known; empty if no
 *     confirmation is needed: a fleet reports its present status, and the operator observes by
 *     itself
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
  /** The greatest number of signals of one Host. */
  public static final int MOST = 64;

  /** The most characters of a message. */
  public static final int LONGEST_MESSAGE = 120;

  /** An active signal without further details. */
  public static Signal standing(SignalKey key, Instant since) {
    return new Signal(key, since, Optional.empty(), "", "", "", Optional.empty());
  }

  /** Its name. */
  public String name() {
    return key.name();
  }

  /** Whether its source reports it as active. */
  public boolean stands() {
    return ended.isEmpty();
  }

  /** This signal, ended at this time. */
  public Signal endedAt(Instant at) {
    return withEnded(Optional.of(at));
  }

  /** Whether its source has confirmed it since this instant, or need not confirm it. */
  boolean isReportedSince(Instant at) {
    return reported.filter(at::isAfter).isEmpty();
  }
}
