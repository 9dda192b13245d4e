package io.nodepool.model;

/** The key that a loop runs for. */
public sealed interface ReconcileKey {
  /** A pool, by name; the loop looks up the pool that has the name when it runs. */
  record OfPool(String name) implements ReconcileKey {}

  /** A machine, by the name that its Host and its Node share. */
  record OfMachine(String name) implements ReconcileKey {}

  /** A Namespace, by name. */
  record OfNamespace(String name) implements ReconcileKey {}

  /** Writes in doubt and records of earlier writes, whichever loop requested them. */
  record OfWrites() implements ReconcileKey {}
}
