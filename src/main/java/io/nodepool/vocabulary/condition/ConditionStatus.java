package io.nodepool.vocabulary.condition;

/** The status of a Kubernetes condition. */
public enum ConditionStatus {
  TRUE("True"),
  FALSE("False"),
  UNKNOWN("Unknown");

  private final String word;

  ConditionStatus(String word) {
    this.word = word;
  }

  /** The word on the wire: {@code True}, {@code False} or {@code Unknown}. */
  public String word() {
    return word;
  }
}
