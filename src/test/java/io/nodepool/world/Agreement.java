package io.nodepool.world;

/** The parts of the outcome in which two runs of one scenario must agree. */
enum Agreement {
  /** The end state. For scenarios in which the path to it is random. */
  END,
  /** The end state, the numbers of created and deleted objects, and the Events. */
  NUMBERS,
  /** All of that, and the names of Nodes and Pods. For scenarios that determine them. */
  NAMES
}
