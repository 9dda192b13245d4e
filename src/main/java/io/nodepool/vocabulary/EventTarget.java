package io.nodepool.vocabulary;

/** The kinds of object that our Events are about. */
public enum EventTarget {
  NODE("Node"),
  POOL("NodePool"),
  NAMESPACE("Namespace");

  private final String kind;

  EventTarget(String kind) {
    this.kind = kind;
  }

  /** The kind that stands in the Event's {@code involvedObject}. */
  public String kind() {
    return kind;
  }
}
