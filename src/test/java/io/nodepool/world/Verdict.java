package io.nodepool.world;

/** A violation in a run, with the oracle that found it. */
record Verdict(Oracle oracle, String text) {
  /** Returns this verdict with a prefix. */
  Verdict of(String run) {
    return new Verdict(oracle, run + ": " + text);
  }
}
