package io.nodepool.health;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A signal as one process has observed it, by that process's clock.
 *
 * @param signal its last state
 * @param since since when it has been active, by its source's clock; a gap shorter than
 *     <i>clear</i> does not count
 * @param seen since when it has been active, by the clock of the process
 * @param off since when it has been off; empty while it is active
 */
public record ObservedSignal(Signal signal, Instant since, Instant seen, Optional<Instant> off) {
  /** A signal that is active or off since these times, by the clock of the process. */
  public ObservedSignal(Signal signal, Instant seen, Optional<Instant> off) {
    this(signal, signal.since(), seen, off);
  }

  /**
   * This signal, observed again.
   *
   * @param next its state now; a signal that its source no longer reports counts as ended
   * @param clear how long it must be off to be over (decision D34)
   */
  public ObservedSignal again(Signal next, Instant now, Duration clear) {
    if (!next.stands()) {
      return new ObservedSignal(next, since, seen, off.or(() -> Optional.of(now)));
    }
    return isOver(now, clear)
        ? new ObservedSignal(next, now, Optional.empty())
        : new ObservedSignal(next, since, seen, Optional.empty());
  }

  /** Whether it has been off for so long that nothing follows from it any more. */
  public boolean isOver(Instant now, Duration clear) {
    return off.filter(since -> !now.isBefore(since.plus(clear))).isPresent();
  }
}
