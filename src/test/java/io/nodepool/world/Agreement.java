package io.nodepool.world;

/** How much two runs of one scenario must agree on. */
enum Agreement {
  /** Where it ended. For scenarios in which chance decides how it comes there. */
  END,
  /** Where it ended, how many objects were created and deleted on the way, and which Events. */
  NUMBERS,
  /** All that, and which Nodes and Pods: for scenarios that determine them. */
  NAMES
}
