package io.nodepool.world.check.text;

/**
 * How many there may be for one who knows of some objects what they are, and of others what they
 * were.
 */
public record Range(int least, int most) {
  /** Whether there may be this many. */
  public boolean has(int number) {
    return least <= number && number <= most;
  }

  /** The same, but for so many that are not known. */
  public Range butFor(int unknown) {
    return new Range(least - unknown, most);
  }
}
