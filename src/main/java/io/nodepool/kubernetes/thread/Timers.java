package io.nodepool.kubernetes.thread;

import java.time.Instant;

/** Timers that wake keys. */
public interface Timers<K> {
  /** Wakes the key at this time, which replaces any other time set for it. */
  void at(K key, Instant time);

  /** Cancels the key's timer, if one is set. */
  void cancel(K key);
}
