package io.nodepool.receiver;

import io.nodepool.vocabulary.LowerCaseWord;

/** The outcome of a received alert. */
enum AlertOutcome implements LowerCaseWord {
  STORED("stored"),
  /** It was stored before. */
  UNCHANGED("unchanged"),
  /** It has no label that names a machine. */
  NO_MACHINE("without a label that names a machine"),
  /** No Host has that name. */
  UNKNOWN_MACHINE("about unknown machines"),
  /** It has no name. */
  UNNAMED("without the label alertname"),
  /** Its time is ahead of the operator's clock. */
  FUTURE("with a time ahead of the operator's clock"),
  /** It was not stored; the sender must repeat it. */
  FAILED("not stored"),
  /** The sender left it out of its notification. */
  TRUNCATED("left out by the sender");

  private final String text;

  AlertOutcome(String text) {
    this.text = text;
  }

  /** The outcome of a number of alerts, for people. */
  String text() {
    return text;
  }
}
