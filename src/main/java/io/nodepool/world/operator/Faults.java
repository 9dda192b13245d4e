package io.nodepool.world.operator;

import java.util.OptionalInt;

/**
 * The faults of a run that occur repeatedly and at random.
 *
 * @param crashAtWrite the operator dies at its write with this number, counted from 1
 * @param crashAfter whether it dies after that write took effect, instead of before
 * @param unknownPercent percentage of answers that are lost, half of them after the write took
 *     effect
 * @param latePercent percentage of the writes with a lost answer and no effect yet that take effect
 *     later, after their sender gave them up
 * @param unavailablePercent percentage of writes that are rejected as unavailable
 * @param stallPercent percentage of watch deliveries that are delayed for a while
 * @param relistPercent percentage of watch deliveries that are lost and replaced by a list
 */
public record Faults(
    OptionalInt crashAtWrite,
    boolean crashAfter,
    int unknownPercent,
    int latePercent,
    int unavailablePercent,
    int stallPercent,
    int relistPercent) {
  /** No faults; only the order of steps varies. */
  public static final Faults NONE = new Faults(OptionalInt.empty(), false, 0, 0, 0, 0, 0);

  /** An unreliable API server, and watches that lag and break. */
  public static final Faults ROUGH = new Faults(OptionalInt.empty(), false, 8, 0, 8, 5, 5);

  /** {@link #ROUGH}, and writes that were given up may take effect late. */
  public static final Faults LATE = new Faults(OptionalInt.empty(), false, 8, 40, 8, 5, 5);

  /** Whether requests fail at random. */
  public boolean areRough() {
    return unknownPercent + unavailablePercent > 0;
  }

  /** Returns these faults with a crash at a write. */
  public Faults crashAt(int write, boolean after) {
    return new Faults(
        OptionalInt.of(write),
        after,
        unknownPercent,
        latePercent,
        unavailablePercent,
        stallPercent,
        relistPercent);
  }
}
