package io.nodepool.control;

/** What a loop is run for. */
public sealed interface ReconcileKey {
  /** A pool, by name: the name's present owner is looked up when the loop runs. */
  record OfPool(String name) implements ReconcileKey {}

  /** A machine, by the name that its Host and its Node share. */
  record OfMachine(String name) implements ReconcileKey {}

  /** A Namespace, by name. */
  record OfNamespace(String name) implements ReconcileKey {}

  /** What became of writes, whoever asked for them. */
  record OfWrites() implements ReconcileKey {}
}
