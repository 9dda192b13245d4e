package io.nodepool.receiver;

import io.nodepool.health.SignalKey;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * What became of the signals of one Host that were to be stored.
 *
 * @param others what became of those that are not stored by this
 * @param why why some are not stored that should be; empty text if there is none
 */
record WriteOutcome(Map<SignalKey, AlertOutcome> others, String why) {
  /** All are stored. */
  static final WriteOutcome STORED = new WriteOutcome(Map.of(), "");

  WriteOutcome {
    others = Map.copyOf(others);
  }

  /** These are not stored, all others are. */
  static WriteOutcome failed(Collection<SignalKey> keys, String why) {
    return STORED.with(keys, AlertOutcome.FAILED, why);
  }

  /** The same, but that these need not be stored. */
  WriteOutcome withUnchanged(Collection<SignalKey> keys) {
    return with(keys, AlertOutcome.UNCHANGED, why);
  }

  private WriteOutcome with(Collection<SignalKey> keys, AlertOutcome outcome, String reason) {
    Map<SignalKey, AlertOutcome> next = new TreeMap<>(others);
    keys.forEach(key -> next.put(key, outcome));
    return new WriteOutcome(next, reason);
  }

  /** What became of this signal. */
  AlertOutcome of(SignalKey key) {
    return others.getOrDefault(key, AlertOutcome.STORED);
  }
}
