package io.nodepool.kubernetes.simulated;

import java.time.Instant;

/** Wakes keys at their time. */
interface Timers {
  /** Wakes the key at this time, instead of at any other that was set for it. */
  void at(Key key, Instant time);

  /** Forgets the key's time, if one is set. */
  void cancel(Key key);
}
