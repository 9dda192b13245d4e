package io.nodepool.health;

import io.nodepool.vocabulary.LowerCaseWord;

/** Why nothing follows from a signal. */
public enum DropReason implements LowerCaseWord {
  /** It is older than the machine's boot (decision D32). */
  STALE,
  /** Its time is ahead of the operator's clock. */
  FUTURE
}
