package io.nodepool.kubernetes.thread;

import java.time.Instant;

/** Wakes keys at their time. */
public interface Timers<K> {
  /** Wakes the key at this time, instead of at any other that was set for it. */
  void at(K key, Instant time);

  /** Forgets the key's time, if one is set. */
  void cancel(K key);
}
