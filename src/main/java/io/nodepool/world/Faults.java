package io.nodepool.world;

import java.util.OptionalInt;

/**
 * What goes wrong in a run, again and again and by chance.
 *
 * @param crashAtWrite the operator dies at its write with this number, counted from 1
 * @param crashAfter whether it dies after that write took effect, instead of before
 * @param unknownPercent of the answers are lost, half of them after the write took effect
 * @param latePercent of the writes whose answer is lost and which have not taken effect yet do so
 *     later, when their sender has given them up
 * @param unavailablePercent of the writes are turned away
 * @param stallPercent of the watch deliveries are held back for a while
 * @param relistPercent of the watch deliveries are lost and made up for by a list
 */
public record Faults(
    OptionalInt crashAtWrite,
    boolean crashAfter,
    int unknownPercent,
    int latePercent,
    int unavailablePercent,
    int stallPercent,
    int relistPercent) {
  /** Nothing goes wrong; only the order of things is open. */
  public static final Faults NONE = new Faults(OptionalInt.empty(), false, 0, 0, 0, 0, 0);

  /** An API server that answers badly and watches that lag and break. */
  public static final Faults ROUGH = new Faults(OptionalInt.empty(), false, 8, 0, 8, 5, 5);

  /** The same, and writes that were given up take effect late. */
  public static final Faults LATE = new Faults(OptionalInt.empty(), false, 8, 40, 8, 5, 5);

  /** Whether requests fail by chance. */
  public boolean areRough() {
    return unknownPercent + unavailablePercent > 0;
  }

  /** These, and a crash at a write. */
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
