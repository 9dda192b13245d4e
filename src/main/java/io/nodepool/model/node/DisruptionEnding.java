package io.nodepool.model.node;

import java.util.Optional;
import java.util.stream.Stream;

/** What a disruption ends in; a later constant is stronger, and of several the strongest counts. */
public enum DisruptionEnding {
  /** The Node is schedulable again. */
  NONE("None"),
  /** The machine boots anew, and the Node stays in its pool. */
  REBOOT("Reboot"),
  /** The machine is stopped and released, and the Node deleted. */
  LEAVE("Leave");

  private final String word;

  DisruptionEnding(String word) {
    this.word = word;
  }

  /** The ending as written in a Node's record. */
  public String word() {
    return word;
  }

  /** The stronger one of this and another ending. */
  public DisruptionEnding or(DisruptionEnding other) {
    return compareTo(other) >= 0 ? this : other;
  }

  /** The ending with this word. */
  public static Optional<DisruptionEnding> of(String word) {
    return Stream.of(values()).filter(ending -> ending.word.equals(word)).findFirst();
  }
}
