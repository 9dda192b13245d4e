package io.nodepool.world;

/** What is wrong with a run, and which oracle says so. */
record Verdict(Oracle oracle, String text) {
  /** The same, with this before it. */
  Verdict of(String run) {
    return new Verdict(oracle, run + ": " + text);
  }
}
