package io.nodepool.plan.disruption;

import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.Host;
import io.nodepool.health.NeededRepairs;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.plan.PlanSettings;
import java.time.Duration;
import java.time.Instant;

/** Decides when repairs of a machine do not help any more (decision D34). Pure. */
public final class RepairAttempts {
  /** The time after a repair before an alert that did not end is acted on again. */
  public static final Duration REST = Duration.ofMinutes(10);

  /** The most power cycles for the repair of a machine within {@link #WINDOW}. */
  private static final int MOST_BOOTS = 3;

  /** The time within which power cycles count. */
  private static final Duration WINDOW = Duration.ofHours(24);

  private RepairAttempts() {}

  /** The repairs of a machine, with its replacement in place of repairs that do not help. */
  public static NeededRepairs escalated(
      NeededRepairs needed, Host host, Instant now, PlanSettings settings) {
    NeededRepairs next = isExhausted(host, now, settings) ? needed.escalated() : needed;
    return isComponentExhausted(next, host, now, settings) ? next.componentEscalated() : next;
  }

  /**
   * Whether a machine was booted so often for its repair that it is taken out of service instead:
   * each power cycle counts, whatever alert it was for (decision D75).
   */
  public static boolean isExhausted(Host host, Instant now, PlanSettings settings) {
    Duration window = host.deliveries().counted(WINDOW.dividedBy(settings.speed()), now);
    return host.boot().filter(last -> last.repairs(window, now) >= MOST_BOOTS).isPresent();
  }

  /** The time within which repairs of components of this machine count. */
  public static Duration ofComponents(Host host, Instant now, PlanSettings settings) {
    return host.deliveries().counted(ComponentRepair.WINDOW.dividedBy(settings.speed()), now);
  }

  /**
   * Whether the component was repaired so often without success that the machine is taken out of
   * service instead (decision D310).
   */
  private static boolean isComponentExhausted(
      NeededRepairs needed, Host host, Instant now, PlanSettings settings) {
    return needed
        .component()
        .filter(each ->
            host.repair(each.alert())
                .filter(last -> last.isLast(ofComponents(host, now, settings), now))
                .isPresent())
        .flatMap(each -> MachineRepair.lastRepair(host, each))
        .filter(at -> !at.plus(REST.dividedBy(settings.speed())).isAfter(now))
        .isPresent();
  }
}
