package io.nodepool.model.node;

import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.health.NeededRepairs;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The recorded repairs of a member's machine, and the repairs that its alerts ask for. */
public final class MachineRepair {
  private MachineRepair() {}

  /** Whether alerts about the machine ask for a repair that its Node's user does not refuse. */
  public static boolean isAsked(Member member) {
    return member.findings().needed().isAny()
        && member.isCurrent()
        && !member.isFrozen()
        && member.node().filter(Node::refusesRepair).isEmpty();
  }

  /**
   * The alert for which a component of the machine may be repaired, while nothing else is asked of
   * the machine or done to it; a stronger repair goes first. Empty if there is none.
   */
  public static Optional<NeededRepairs.Needed> ofComponent(Member member) {
    return member
        .findings()
        .needed()
        .component()
        .filter(NeededRepairs.Needed::stands)
        .filter(_ -> !member.findings().needed().disrupts())
        .filter(_ -> isAsked(member) && member.disruption().isEmpty() && isAtRest(member))
        .filter(_ -> member.host().unansweredRepairs().findAny().isEmpty());
  }

  /**
   * When the fleet answered the last request to repair the component for this alert; empty if it
   * answered no request since the alert began.
   */
  public static Optional<Instant> lastRepair(Host host, NeededRepairs.Needed needed) {
    return host.repair(needed.alert())
        .filter(last -> host.isOfAssignment(last.at()) && !last.at().isBefore(needed.since()))
        .flatMap(last -> last.answer(host.report().repairs()))
        .map(ComponentRepair.RepairAnswer::at);
  }

  /**
   * Whether a repair that alerts ask for may begin, or join the Node's disruption. A machine that
   * leaves, or is booted or verified already, is not repaired.
   */
  public static boolean mayBegin(Member member) {
    boolean free =
        member
            .disruption()
            .map(active ->
                active instanceof Disruption.Admitted
                    && active.causes().stream()
                        .noneMatch(cause -> cause.leaves() || cause.what().isRepair()))
            .orElse(true);
    return free && isAsked(member) && isAtRest(member);
  }

  /**
   * Whether the machine may be verified without a boot because of active alerts: its Node is idle
   * and Ready, and available to tenants or cordoned only for repairs. A Node that a user cordoned
   * is verified too once a repair has been recorded on it.
   */
  public static boolean mayVerify(Member member) {
    boolean free =
        member
            .disruption()
            .map(active ->
                active instanceof Disruption.Admitted
                    && active.causes().stream().allMatch(cause -> cause.what().isRepair()))
            .orElse(member.node().filter(Node::isAvailable).isPresent());
    return free
        && isAsked(member)
        && member.node().filter(Node::ready).isPresent()
        && !member.isBusy()
        && !member.isMachineHeld()
        && member.passedOver().isEmpty()
        && isAtRest(member);
  }

  /** Whether the machine is verified for an alert, or about to be, and has not answered. */
  public static boolean isVerifying(Member member) {
    return member
        .disruption()
        .filter(active ->
            active.causes().stream().anyMatch(cause -> cause.what().isAlertVerification()))
        .filter(active ->
            !(active instanceof Disruption.Committed) || member.host().alertVerified().isEmpty())
        .isPresent();
  }

  /** Whether the last verification of the machine for an alert is over, answered or not. */
  public static boolean isVerified(Member member) {
    return member.isCurrent()
        && member.host().alertVerification().isPresent()
        && (member.host().alertVerified().isPresent() || !isVerifying(member));
  }

  /** Whether the machine runs, and nothing is asked of it. */
  private static boolean isAtRest(Member member) {
    Host host = member.host();
    return !member.cordoning()
        && member.underWay().isEmpty()
        && host.is(HostPhase.RUNNING)
        && host.power() == Host.Power.ON
        && !host.isRebooting()
        && host.preemption().isEmpty();
  }

  /**
   * The repairs for which the Node is cordoned and that are not carried out yet; repairs by which
   * the Node leaves come first.
   */
  public static List<DisruptionCause.Repaired> admitted(Member member) {
    return member.disruption().filter(_ -> !member.isFrozen()).stream()
        .flatMap(active ->
            active.causes().stream()
                .filter(active::awaits)
                .sorted(Comparator.comparing(cause -> !cause.leaves())))
        .flatMap(cause -> cause.what().repaired().stream())
        .toList();
  }

  /**
   * The admitted repair that is carried out next: the strongest one, or while the Node is busy the
   * strongest one that may interrupt its work. A repair whose alert is not active comes last. Empty
   * if there is none.
   *
   * @param keepsWork whether its pool protects work from repairs
   */
  public static Optional<DisruptionCause.Repaired> next(Member member, boolean keepsWork) {
    return admitted(member).stream()
        .filter(each -> !keepsWork || !member.isBusy() || each.endsProtectedWork())
        .min(Comparator.comparing(each -> !member.findings().needed().stands(each.alert())));
  }

  /**
   * Whether a repair is carried out, or the machine is verified for one, or the Node leaves since
   * its machine does not run any more. A repair after which the Node waits to leave does not count,
   * nor does a repair that waits after its verification.
   */
  public static boolean isUnderWay(Member member) {
    return member
        .disruption()
        .filter(_ -> !member.isLost())
        .filter(active ->
            active.causes().stream()
                .anyMatch(cause ->
                    cause.what().isOutage()
                        || (cause.what().isRepair() && !active.awaits(cause))
                        || (cause.what().isAlertVerification()
                            && active instanceof Disruption.Committed
                            && member.host().alertVerified().isEmpty())))
        .isPresent();
  }
}
