package io.nodepool.control.write;

/**
 * How many objects cannot be written to at present, and why.
 *
 * @param underWay a write or a live read is not answered yet
 * @param inDoubt nobody knows whether the last write took effect
 * @param resting the last write failed, and its time to be tried again has not come
 */
public record WriteCounts(int underWay, int inDoubt, int resting) {
  /** Every object can be written to. */
  public static final WriteCounts NONE = new WriteCounts(0, 0, 0);
}
