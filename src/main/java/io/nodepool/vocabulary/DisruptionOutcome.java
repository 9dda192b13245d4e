package io.nodepool.vocabulary;

import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How the disruption of a Node for a cause ended (decision D225). */
public enum DisruptionOutcome implements LowerCaseWord {
  COMPLETED("the Node left with no Pod to evict, or is back in production as asked"),
  CUT_OFF("the Node left, and the end of its machine cut Pods off"),
  FAILED("the Node is back in production, but not as asked"),
  SUPERSEDED("the Node left otherwise first, or another cause replaced this one"),
  WITHDRAWN("the cause was taken back or given up, and ended without effect");

  private final String meaning;

  DisruptionOutcome(String meaning) {
    this.meaning = meaning;
  }

  /** All outcomes with their meanings, as text. */
  static String listed() {
    return Stream.of(values())
        .map(outcome -> "%s (%s)".formatted(outcome.word(), outcome.meaning))
        .collect(Collectors.joining(", "));
  }
}
