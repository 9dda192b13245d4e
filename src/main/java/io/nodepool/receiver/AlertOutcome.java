package io.nodepool.receiver;

import io.nodepool.vocabulary.Word;

/** What became of a received alert. */
enum AlertOutcome implements Word {
  STORED("stored", "stored"),
  /** It was stored before. */
  UNCHANGED("unchanged", "unchanged"),
  /** It has none of the labels by which its machine is found. */
  NO_MACHINE("no_machine", "without a label that names a machine"),
  /** There is no Host of that name. */
  UNKNOWN_MACHINE("unknown_machine", "about unknown machines"),
  /** It has no name. */
  UNNAMED("unnamed", "without the label alertname"),
  /** Its time is ahead of the operator's clock. */
  FUTURE("future", "with a time ahead of the operator's clock"),
  /** It was not stored; the sender must repeat it. */
  FAILED("failed", "not stored"),
  /** The sender left it out of its notification. */
  TRUNCATED("truncated", "left out by the sender");

  private final String word;
  private final String text;

  AlertOutcome(String word, String text) {
    this.word = word;
    this.text = text;
  }

  @Override
  public String word() {
    return word;
  }

  /** The outcome of a number of alerts, for people. */
  String text() {
    return text;
  }
}
