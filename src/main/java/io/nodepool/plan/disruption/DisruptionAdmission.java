package io.nodepool.plan.disruption;

/**
 * Which disruptions may begin now (decisions D13, D67 and D68). It is asked twice: before the
 * cordon, and at the commitment. A demand with an instant from outside is never held back.
 */
public final class DisruptionAdmission {
  /** The greatest number of Nodes that one plan cordons: enough to keep the API server busy. */
  private static final int MOST_AT_ONCE = 128;

  private final boolean fleetIsKnown;
  private int begun;

  private DisruptionAdmission(boolean fleetIsKnown) {
    this.fleetIsKnown = fleetIsKnown;
  }

  /**
   * The admission of one plan.
   *
   * @param fleetIsKnown whether the fleet can be reached; while it cannot, no disruption of our own
   *     choice begins
   */
  public static DisruptionAdmission whileFleetIsKnown(boolean fleetIsKnown) {
    return new DisruptionAdmission(fleetIsKnown);
  }

  /** Whether a Node may be cordoned for this demand now; counts it if so. */
  public boolean admits(Demand.Window window) {
    if (window.isFromOutside()) {
      return true;
    }
    if (!fleetIsKnown || begun >= MOST_AT_ONCE) {
      return false;
    }
    begun++;
    return true;
  }

  /** Whether a cordoned Node may be committed for this demand now. */
  public boolean commits(Demand.Window window) {
    return fleetIsKnown || window.isFromOutside();
  }
}
