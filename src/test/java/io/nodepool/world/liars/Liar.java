package io.nodepool.world.liars;

import java.time.Duration;

/**
 * A monitor that reports an alert about machines that do not have it.
 *
 * @param alert the name of the alert
 * @param pool the place of the pool whose Nodes it names
 * @param who which of them it names
 * @param from when it begins, since the pools have grown
 * @param lasts how long it lies
 * @param holdsOn whether it goes on to name a Node for which its reason to is gone
 * @param renews whether it says after a boot that it sees the alert again
 * @param writes how often it writes what stands again
 * @param dies when it stops to write, without an end of what it reported; longer than it lasts if
 *     it does not
 */
record Liar(
    String alert,
    int pool,
    Who who,
    Duration from,
    Duration lasts,
    boolean holdsOn,
    boolean renews,
    Duration writes,
    Duration dies) {
  /** The name under which it writes. */
  static final String SOURCE = "liar";

  /** Which Nodes are named. */
  enum Who {
    ALL,
    BUSY,
    IDLE,
    RACK,
    HALF,
    FEW,
    /** One more each half hour. */
    GROWING,
    /** One less each half hour. */
    SHRINKING,
    /** One, and each new one that comes for it. */
    FOLLOWING,
    /** One, and another one as soon as the first is cordoned. */
    FLEEING,
    /** All, for some minutes in each hour. */
    BLINKING
  }

  @Override
  public String toString() {
    return "%s about %s of pool %d from %s for %s%s%s, written every %s%s"
        .formatted(
            alert,
            who,
            pool,
            LiarRun.text(from),
            LiarRun.text(lasts),
            holdsOn ? ", held on to" : "",
            renews ? ", renewed" : "",
            LiarRun.text(writes),
            dies.compareTo(lasts) < 0 ? ", silent after " + LiarRun.text(dies) : "");
  }
}
