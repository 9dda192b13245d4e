package io.nodepool.vocabulary;

/** The type of a Kubernetes Event. */
public enum EventType {
  NORMAL("Normal"),
  WARNING("Warning");

  private final String word;

  EventType(String word) {
    this.word = word;
  }

  /** The word on the wire. */
  public String word() {
    return word;
  }
}
