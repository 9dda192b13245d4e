package io.nodepool.vocabulary;

/** The type of a Kubernetes Event. */
public enum EventType implements Word {
  NORMAL,
  WARNING
}
