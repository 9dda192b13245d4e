package io.nodepool.world.liars;

import java.time.Duration;

/**
 * What the limits of repairs allow, in the words of docs/repair.md: all numbers that the oracles of
 * the liars compare with. A pool of n Nodes, a type of n Hosts in a zone.
 */
final class LiarBounds {
  /** The time over which the brakes count, a little shorter: drains take their time. */
  static final Duration DAY = Duration.ofHours(23);

  /**
   * How long what an Event promises is compared with what happens: 24 hours, less the time between
   * two looks at the Events.
   */
  static final Duration PROMISED = Duration.ofHours(24).minus(LiarPlay.TICK);

  /** An operator may have decided so long before its request arrives. */
  static final Duration UNDER_WAY = Duration.ofSeconds(10);

  /** An operator has observed a change of a pool, a catalogue or a signal after this time. */
  static final Duration OBSERVED = Duration.ofMinutes(2);

  /** For so long an alert of which all signals are off still counts as standing. */
  static final Duration CLEAR = Duration.ofMinutes(10);

  /** A source that is silent for longer is stale; a little longer than the limit of 12 h. */
  static final Duration STALE = Duration.ofHours(13);

  /** Nodes for which nothing stands any more are not cordoned for longer. */
  static final Duration CORDON_ENDS = Duration.ofMinutes(45);

  /** A person looks at what is held, and releases it, so long after a fault began. */
  static final Duration LOOKED_AT = Duration.ofHours(26);

  /** A machine is drained, verified and repaired within this time after it was named. */
  static final Duration PROBE = Duration.ofHours(3);

  /** A machine that is taken out was verified so long before at most: it may wait for a day. */
  static final Duration VERIFIED = Duration.ofHours(30);

  /** How many busy Nodes of a pool are verified in a day without a failed verification. */
  static final int PROBED_BUSY = 1;

  /** How many machines in a row fail their verification until an alert is genuine. */
  static final int GENUINE = 3;

  private LiarBounds() {}

  private static int of(int least, int percent, int nodes) {
    return Math.max(least, nodes * percent / 100);
  }

  /**
   * Nodes whose work one false alarm ends in a day, without a failed verification: by repairs, and
   * one probe.
   *
   * @param weak whether the fleet cannot verify, or the alert stayed off for a while after boots
   */
  static int workEndedForOne(int nodes, boolean weak) {
    return weak ? of(3, 10, nodes) + 1 : of(1, 2, nodes) + 1;
  }

  /** Nodes whose work all alerts together end in a day, without a failed verification. */
  static int workEnded(int nodes) {
    return of(3, 10, nodes);
  }

  /** The same of so many false alarms, each of which ends little; there is one probe for all. */
  static int workEndedFor(int alarms, int nodes, boolean weak) {
    return Math.min(workEnded(nodes), alarms * (workEndedForOne(nodes, weak) - 1) + 1);
  }

  /** Hosts set aside in a day of a pool with this target, without a failed verification. */
  static int asideOfPool(int target, boolean proved) {
    return of(3, 10, target) * (proved ? 3 : 1);
  }

  /** Hosts of a type set aside in a day in a zone. */
  static int asideOfType(int hosts, boolean proved) {
    return of(4, 5, hosts) * (proved ? 3 : 1);
  }

  /** Racks that are set aside as a whole in a day. */
  static int racksAside(int racks) {
    return of(1, 10, racks);
  }

  /** Machines that are not booted while more Nodes than these are silent though they run. */
  static int silent(int nodes) {
    return of(4, 20, nodes);
  }

  /** Nodes on which an alert stands without being in doubt for that. */
  static int share(int nodes) {
    return of(4, 20, nodes);
  }
}
