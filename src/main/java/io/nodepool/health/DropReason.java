package io.nodepool.health;

import io.nodepool.vocabulary.Word;

/** Why nothing follows from a signal. */
public enum DropReason implements Word {
  /** It is older than the machine's boot (decision D32). */
  STALE("stale"),
  /** Its time is ahead of the operator's clock. */
  FUTURE("future");

  private final String word;

  DropReason(String word) {
    this.word = word;
  }

  @Override
  public String word() {
    return word;
  }
}
