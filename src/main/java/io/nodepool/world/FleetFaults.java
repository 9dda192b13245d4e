package io.nodepool.world;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;

/**
 * The faults in a fleet's reports about boots. Each percentage is of the occasions for the fault.
 *
 * @param noBootId the percentage of boots that are reported without an id
 * @param repeatedBootId the percentage of boots that are reported with the id of the previous boot
 * @param lateBootId the percentage of boots whose id the fleet reports some minutes later than the
 *     kubelet
 * @param otherConfiguration the percentage of boots into another configuration than requested
 * @param wrongVerification the percentage of verifications that are first reported for another boot
 *     or attempt
 * @param lateStart the percentage of power cycles that begin some minutes after the request
 * @param clock how far the fleet's clock is ahead; negative if it is behind
 */
@RecordBuilder
public record FleetFaults(
    int noBootId,
    int repeatedBootId,
    int lateBootId,
    int otherConfiguration,
    int wrongVerification,
    int lateStart,
    Duration clock)
    implements FleetFaultsCopy.With {
  /** A fleet without these faults. */
  public static final FleetFaults NONE = new FleetFaults(0, 0, 0, 0, 0, 0);

  /** These faults, with a correct clock. */
  public FleetFaults(
      int noBootId,
      int repeatedBootId,
      int lateBootId,
      int otherConfiguration,
      int wrongVerification,
      int lateStart) {
    this(
        noBootId,
        repeatedBootId,
        lateBootId,
        otherConfiguration,
        wrongVerification,
        lateStart,
        Duration.ZERO);
  }
}
