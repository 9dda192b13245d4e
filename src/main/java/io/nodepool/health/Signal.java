package io.nodepool.health;

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
 */
public record Signal(
    SignalKey key,
    Instant since,
    Optional<Instant> ended,
    String bootId,
    String severity,
    String message) {
  /** The most signals of one Host. */
  public static final int MOST = 64;

  /** The most characters of a message. */
  public static final int LONGEST_MESSAGE = 120;

  /** A signal that stands, about which its source says no more. */
  public static Signal standing(SignalKey key, Instant since) {
    return new Signal(key, since, Optional.empty(), "", "", "");
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
    return new Signal(key, since, Optional.of(at), bootId, severity, message);
  }
}
