package io.nodepool.control.write;

/**
 * The number of objects that cannot be written to at present, by cause.
 *
 * @param underWay objects with a write or a live read that is not answered yet
 * @param inDoubt objects whose last write may or may not have taken effect
 * @param resting objects whose last write failed and may not be retried yet
 */
public record WriteCounts(int underWay, int inDoubt, int resting) {
  /** Every object can be written to. */
  public static final WriteCounts NONE = new WriteCounts(0, 0, 0);
}
