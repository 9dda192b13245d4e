package io.nodepool.receiver;

import io.nodepool.health.SignalKey;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * The outcome of a write of signals of one Host.
 *
 * @param others the outcomes of the signals that this write did not store
 * @param why why some signals could not be stored; empty text if all could be stored
 */
record WriteOutcome(Map<SignalKey, AlertOutcome> others, String why) {
  /** All are stored. */
  static final WriteOutcome STORED = new WriteOutcome(Map.of(), "");

  WriteOutcome {
    others = Map.copyOf(others);
  }

  /** These are not stored; all others are. */
  static WriteOutcome failed(Collection<SignalKey> keys, String why) {
    return STORED.with(keys, AlertOutcome.FAILED, why);
  }

  /** This outcome, with these signals as unchanged. */
  WriteOutcome withUnchanged(Collection<SignalKey> keys) {
    return with(keys, AlertOutcome.UNCHANGED, why);
  }

  private WriteOutcome with(Collection<SignalKey> keys, AlertOutcome outcome, String reason) {
    Map<SignalKey, AlertOutcome> next = new TreeMap<>(others);
    keys.forEach(key -> next.put(key, outcome));
    return new WriteOutcome(next, reason);
  }

  /** The outcome of this signal. */
  AlertOutcome of(SignalKey key) {
    return others.getOrDefault(key, AlertOutcome.STORED);
  }
}
