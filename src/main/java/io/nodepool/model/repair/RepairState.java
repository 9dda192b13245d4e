package io.nodepool.model.repair;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.health.Health;
import io.nodepool.health.NeededRepairs;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Node;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * The repairs of a pool's machines: which may be carried out, and what holds the rest. The state
 * has a constant size, and is recorded on the pool before a repair is committed.
 *
 * @param waiting the number of Nodes that a limit holds, cordoned or not
 * @param names the first of these Nodes, at most {@link #NAMED}
 * @param why what holds the first of them: one sentence; empty text if none waits
 * @param suspects the alerts that are in doubt or have a verdict, by name, at most {@link
 *     #MOST_SUSPECTS}
 * @param full whether more alerts are in doubt than the list can hold: each alert that is not
 *     listed is held
 * @param admitted the last repair that may be carried out
 * @param rack the rack whose Nodes are repaired together; empty if there is none
 * @param racks the alerts about racks of the pool for which a person has to act, at most {@link
 *     #NAMED}
 */
@RecordBuilder
public record RepairState(
    int waiting,
    List<String> names,
    String why,
    List<SuspectedAlert> suspects,
    boolean full,
    Optional<Admitted> admitted,
    Optional<RackRepair> rack,
    List<RackAlert> racks)
    implements RepairStateCopy.With {
  /** The greatest number of names. */
  public static final int NAMED = 5;

  /** The greatest number of suspects: the catalogue has fewer alerts that ask for repairs. */
  public static final int MOST_SUSPECTS = 32;

  /** No machine needs a repair. */
  public static final RepairState NONE =
      new RepairState(
          0, List.of(), "", List.of(), false, Optional.empty(), Optional.empty(), List.of());

  /**
   * The permission for one repair or verification.
   *
   * @param node name of the Node
   * @param hostUid UID of its Host
   * @param sequence number of its disruption, or of its next one if the Node is not cordoned yet; 0
   *     if the repair does not disrupt the Node
   * @param alert the alert; empty text if its machine does not run any more
   * @param verifies whether the machine is verified; else it is repaired by the alert's grade
   * @param endsWork whether work on the Node may be ended for it
   * @param at when it was admitted
   */
  @RecordBuilder
  public record Admitted(
      String node,
      String hostUid,
      int sequence,
      String alert,
      boolean verifies,
      boolean endsWork,
      Instant at)
      implements RepairStateAdmittedCopy.With {
    /** The Node of this Host leaves now, since its machine does not run any more. */
    public static Admitted ofOutage(HostId host, Instant now) {
      return new Admitted(
          host.name(), host.uid(), 0, "", false, false, now.truncatedTo(ChronoUnit.MILLIS));
    }

    /** A component of this Host is repaired for this alert, while its machine runs. */
    public static Admitted ofComponent(HostId host, String alert, Instant now) {
      return ofOutage(host, now).withAlert(alert);
    }

    /** The number of the disruption of this Node that is under way, or of its next one. */
    public static int sequence(Node node) {
      return node.disruption()
          .map(last -> last.active().isPresent() ? last.sequence() : last.sequence() + 1)
          .orElse(1);
    }

    /** Whether it is about this alert and this disruption of the Node of this Host. */
    public boolean isFor(String ofHost, int ofSequence, String ofAlert) {
      return hostUid.equals(ofHost) && sequence == ofSequence && alert.equals(ofAlert);
    }
  }

  public RepairState {
    names = List.copyOf(names);
    suspects = List.copyOf(suspects);
    racks = List.copyOf(racks);
  }

  /**
   * Returns the state with the alerts about racks that are found now. A published one stays as long
   * as it is found, since an operator that has just started does not know how long it has lasted.
   */
  public RepairState withFound(List<RackAlert.Found> found) {
    return withRacks(
        found.stream()
            .flatMap(each ->
                racks.stream()
                    .filter(each.alert()::isSame)
                    .findFirst()
                    .or(() -> Optional.of(each.alert()).filter(_ -> each.stands()))
                    .stream())
            .limit(NAMED)
            .toList());
  }

  /** The suspected alert of this name; empty if it is not suspected. */
  public Optional<SuspectedAlert> suspect(String alert) {
    return suspects.stream().filter(each -> each.alert().equals(alert)).findFirst();
  }

  /** Whether nothing is done for this alert, since the machines have no fault. */
  public boolean isFalseAlarm(String alert) {
    return suspect(alert).filter(SuspectedAlert::isFalseAlarm).isPresent();
  }

  /**
   * Whether the alert is held: it is in doubt, a false alarm or held. A repair for it then begins
   * only on a machine that failed a verification for it. All plans and reports use this.
   */
  public boolean isHeld(String alert) {
    return suspect(alert).map(SuspectedAlert::isHeld).orElse(full);
  }

  /**
   * Whether repairs that have begun for the alert stop too, except on machines that failed a
   * verification for it.
   */
  public boolean isStopped(String alert) {
    return suspect(alert).map(SuspectedAlert::stops).orElse(full);
  }

  /**
   * Whether this machine is verified before it is repaired for this alert: while the alert is
   * suspected, and else before its Host is set aside. A machine that did not pass is repaired.
   *
   * @param sequence number of the disruption of the Node
   */
  public boolean verifiesFirst(String alert, boolean takesOut, Host host, Node node, int sequence) {
    if (host.isProvedFaulty(alert)) {
      return false;
    }
    boolean isVerified =
        host.alertVerification().filter(request -> node.isOf(request, sequence)).isPresent();
    boolean goesOn =
        isVerified && suspect(alert).filter(each -> each.byCount() || !each.isHeld()).isPresent();
    return (suspect(alert).isPresent() && !goesOn) || (takesOut && !isVerified);
  }

  /**
   * Whether nothing is done for an alert on this machine: it is a false alarm, or the machine
   * passed while the alert was active, and the alert is suspected. A machine that did not pass is
   * repaired.
   */
  public boolean isDenied(NeededRepairs.Needed needed, Host host) {
    boolean hasPassed =
        host.alertVerified().orElse(false)
            && host.alertVerification()
                .filter(request -> !request.at().isBefore(needed.since()))
                .isPresent();
    return suspect(needed.alert())
            .filter(each ->
                each.isFalseAlarm()
                    || (hasPassed && !(each.byCount() && hasBegun(needed.alert(), host))))
            .isPresent()
        && !host.isProvedFaulty(needed.alert());
  }

  /** Whether work was ended to repair this machine, and not to learn whether the alert is true. */
  private static boolean hasBegun(String alert, Host host) {
    return host.past().stream()
        .filter(each -> each.alert().equals(alert) && host.isOfAssignment(each.at()))
        .reduce((_, last) -> last)
        .filter(last -> last.endedWork() && !last.probe())
        .isPresent();
  }

  /**
   * The repairs that active alerts about a machine ask for, with the alerts that the pool holds.
   */
  public NeededRepairs needed(Health health) {
    NeededRepairs needed = NeededRepairs.of(health);
    return needed.isAny() && (full || !suspects.isEmpty()) ? needed.holding(this::isHeld) : needed;
  }

  /**
   * How many of these members are repaired, or leave since their machines do not run any more,
   * including a repair that may be about to begin. Nodes of a rack that are repaired together count
   * as one.
   *
   * @param after permissions from before this instant have expired
   */
  public int inFlight(Members members, Instant after) {
    int apart = members.count(Members.Trait.UNDER_REPAIR);
    return rack.map(each -> apart - each.underWay(members) + (each.lasts(members, after) ? 1 : 0))
            .orElse(apart)
        + (isBeginning(members, after) ? 1 : 0);
  }

  /**
   * Whether the last permission was given after this instant, is not for a rack, and is not used
   * yet.
   */
  public boolean isBeginning(Members members, Instant after) {
    return admitted
        .filter(each -> each.at().isAfter(after))
        .flatMap(each -> members.find(each.hostUid()))
        .filter(member -> !MachineRepair.admitted(member).isEmpty())
        .filter(member -> !MachineRepair.isUnderWay(member))
        .filter(member -> rack.filter(each -> each.isIn(member.host())).isEmpty())
        .isPresent();
  }
}
