package io.nodepool.vocabulary;

/**
 * The generations of the public reference of NodePools that differ in conditions and Events (T1).
 */
public enum ReferenceGeneration {
  /** The conditions and Events of the newer references. */
  CURRENT,
  /** Those, and beside them the conditions and Events of the oldest one (seed 002). */
  OLDEST
}
