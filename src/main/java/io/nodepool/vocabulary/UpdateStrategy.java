package io.nodepool.vocabulary;

/** When another configuration becomes the active one of a pool (seed 001). */
public enum UpdateStrategy implements Word {
  /** Only when a user promotes it. */
  MANUAL,
  /** When the spec of the pool changes. */
  ON_SPEC_UPDATE,
  /** When the spec changes, and when the fleet publishes a release. */
  ALWAYS,
  /** As OnSpecUpdate; Nodes take it on in a rollout that a user starts. */
  ROLLOUT_ON_COMMAND
}
