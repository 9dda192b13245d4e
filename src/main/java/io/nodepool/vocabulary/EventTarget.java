package io.nodepool.vocabulary;

/** The kinds of object that the operator's Events are about. */
public enum EventTarget {
  NODE("Node"),
  POOL("NodePool"),
  NAMESPACE("Namespace");

  private final String kind;

  EventTarget(String kind) {
    this.kind = kind;
  }

  /** The kind in the Event's {@code involvedObject}. */
  public String kind() {
    return kind;
  }
}
