package io.nodepool.simulated;

/**
 * Pseudo-random values determined by a seed and a name: the data centre's only source of
 * randomness, the same after every restart.
 */
final class Seeds {
  private Seeds() {}

  /** A 64-bit hash of a seed and a name. */
  static long mix(long seed, String name) {
    long value = seed ^ 0x9e3779b97f4a7c15L;
    for (int i = 0; i < name.length(); i++) {
      value = spread(value + name.charAt(i));
    }
    return value;
  }

  /** A fraction from 0 to just below 1. */
  static double fraction(long seed, String name) {
    return (mix(seed, name) >>> 11) * 0x1.0p-53;
  }

  /** An exponentially distributed number whose mean is 1. */
  static double exponential(long seed, String name) {
    return -Math.log1p(-fraction(seed, name));
  }

  private static long spread(long value) {
    long mixed = value * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
