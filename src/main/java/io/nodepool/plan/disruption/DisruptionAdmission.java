package io.nodepool.plan.disruption;

import io.nodepool.model.node.Member;
import java.util.Optional;

/**
 * Which disruptions may begin now (decisions D13, D67 and D68). It is asked twice: before the
 * cordon, and at the commitment. A demand with an instant from outside is never held back.
 */
public final class DisruptionAdmission {
  /** The greatest number of Nodes that one plan cordons: enough to keep the API server busy. */
  public static final int MOST_AT_ONCE = 128;

  private final boolean fleetIsKnown;
  private final Optional<UnavailableNodes> level;
  private int begun;

  private DisruptionAdmission(boolean fleetIsKnown, Optional<UnavailableNodes> level) {
    this.fleetIsKnown = fleetIsKnown;
    this.level = level;
  }

  /**
   * The admission of one plan.
   *
   * @param fleetIsKnown whether the fleet can be reached; while it cannot, no disruption of our own
   *     choice begins
   */
  public static DisruptionAdmission whileFleetIsKnown(boolean fleetIsKnown) {
    return new DisruptionAdmission(fleetIsKnown, Optional.empty());
  }

  /**
   * The admission of one plan while the fleet can be reached, within this level: what is
   * unavailable for whatever cause uses it up.
   */
  public static DisruptionAdmission within(UnavailableNodes level) {
    return new DisruptionAdmission(true, Optional.of(level));
  }

  /**
   * Whether a Node may be cordoned now within the level; counts it if so. The Nodes of a rack that
   * is unavailable already, and was begun, take no room.
   *
   * @param isBegun whether its rack was begun
   */
  public boolean admits(Member member, boolean isBegun) {
    boolean fits =
        level.map(each -> each.hasRoom() || (isBegun && each.contains(member))).orElse(true);
    if (!fits || !admits(Demand.Window.WHEN_IDLE)) {
      return false;
    }
    level.ifPresent(each -> each.add(member));
    return true;
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
