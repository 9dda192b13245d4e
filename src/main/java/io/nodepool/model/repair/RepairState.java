package io.nodepool.model.repair;

import io.nodepool.fleet.HostId;
import io.nodepool.health.Health;
import io.nodepool.health.NeededRepairs;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.MachineRepair;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The repairs of a pool's machines: which of them may be carried out, and what holds the others. Of
 * constant size, and recorded on the pool before a repair is committed.
 *
 * @param waiting how many Nodes wait, uncordoned or cordoned, though nothing but a limit holds them
 * @param names the first of these, at most {@link #NAMED}
 * @param why what holds the first of them: one sentence; empty text if none waits
 * @param suspects the alerts that stand on so many Nodes that their source is suspected, by name,
 *     at most {@link #NAMED}
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
    Optional<Admitted> admitted,
    Optional<RackRepair> rack,
    List<RackAlert> racks)
    implements RepairStateCopy.With {
  /** The greatest number of names. */
  public static final int NAMED = 5;

  /** No machine is to be repaired. */
  public static final RepairState NONE =
      new RepairState(0, List.of(), "", List.of(), Optional.empty(), Optional.empty(), List.of());

  /**
   * A repair that may be carried out.
   *
   * @param node name of the Node
   * @param hostUid UID of its Host
   * @param sequence number of its disruption
   * @param alert the alert for which it is repaired; empty text if its machine does not run any
   *     more
   * @param at when it was admitted
   */
  public record Admitted(String node, String hostUid, int sequence, String alert, Instant at) {
    /** One that is admitted now. */
    public static Admitted of(HostId host, int sequence, String alert, Instant now) {
      return new Admitted(
          host.name(), host.uid(), sequence, alert, now.truncatedTo(ChronoUnit.MILLIS));
    }
  }

  public RepairState {
    names = List.copyOf(names);
    suspects = List.copyOf(suspects);
    racks = List.copyOf(racks);
  }

  /**
   * This with what is found about racks now: what is published stays as long as it is found, since
   * an operator that has just started does not know for how long that was.
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

  /** What is known of an alert that is suspected; empty for another one. */
  public Optional<SuspectedAlert> suspect(String alert) {
    return suspects.stream().filter(each -> each.alert().equals(alert)).findFirst();
  }

  /** Whether nothing is done for this alert, since the machines have no fault. */
  public boolean isFalseAlarm(String alert) {
    return suspect(alert).filter(SuspectedAlert::isFalseAlarm).isPresent();
  }

  /** Whether nothing is done for this alert, since its source is suspected or was wrong. */
  public boolean isHeld(String alert) {
    return suspect(alert)
        .filter(each -> each.verdict() != SuspectedAlert.Verdict.GENUINE)
        .isPresent();
  }

  /** What the alerts that stand about a machine ask, as far as the pool acts on them. */
  public NeededRepairs needed(Health health) {
    NeededRepairs needed = NeededRepairs.of(health);
    return needed.isAny() && !suspects.isEmpty() ? needed.holding(held()) : needed;
  }

  /** The alerts for which nothing is done. */
  public Set<String> held() {
    return suspects.stream()
        .map(SuspectedAlert::alert)
        .filter(this::isHeld)
        .collect(Collectors.toUnmodifiableSet());
  }

  /**
   * How many of these members are repaired, or leave since their machines do not run any more, and
   * the one that may be about to begin. The Nodes of a rack that are repaired together count as
   * one.
   *
   * @param after what was let go before this instant does not begin any more
   */
  public int inFlight(Members members, Instant after) {
    int apart = members.count(Members.Trait.UNDER_REPAIR);
    return rack.map(each -> apart - each.underWay(members) + (each.lasts(members, after) ? 1 : 0))
            .orElse(apart)
        + (isBeginning(members, after) ? 1 : 0);
  }

  /** Whether one may be about to begin by itself that was let go after this instant. */
  public boolean isBeginning(Members members, Instant after) {
    return admitted
        .filter(each -> each.at().isAfter(after))
        .flatMap(each -> members.find(each.hostUid()))
        .filter(member ->
            MachineRepair.admitted(member).stream()
                .anyMatch(repair -> repair.alert().equals(admitted.get().alert())))
        .filter(member -> rack.filter(each -> each.isIn(member.host())).isEmpty())
        .isPresent();
  }

  /**
   * When this disruption of the Node of this Host was let go by itself for this alert; empty if it
   * was not the last.
   */
  public Optional<Instant> admittedAt(String hostUid, int sequence, String alert) {
    return admitted
        .filter(each -> each.hostUid().equals(hostUid) && each.sequence() == sequence)
        .filter(each -> each.alert().equals(alert))
        .map(Admitted::at);
  }
}
