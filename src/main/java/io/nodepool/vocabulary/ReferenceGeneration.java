package io.nodepool.vocabulary;

/**
 * The generations of the public reference of NodePools that differ in conditions and Events (T1).
 */
public enum ReferenceGeneration {
  /** The conditions and Events of the newer references. */
  CURRENT,
  /** These, and also the conditions and Events of the oldest reference (seed 002). */
  OLDEST
}
