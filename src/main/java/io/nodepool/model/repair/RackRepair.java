package io.nodepool.model.repair;

import io.nodepool.fleet.Host;
import io.nodepool.health.RackHealth;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;

/**
 * A rack whose Nodes are repaired together for one alert, or leave together since their machines do
 * not run any more (decisions D33, D312 and D321): they count as one.
 *
 * @param rack its name
 * @param alert the alert; empty text if their machines do not run any more
 * @param at when the repair was permitted; the permission covers Nodes whose repair may be carried
 *     out by then
 */
public record RackRepair(String rack, String alert, Instant at) {
  /** A rack whose repair is permitted now. */
  public static RackRepair of(String rack, String alert, Instant now) {
    return new RackRepair(rack, alert, now.truncatedTo(ChronoUnit.MILLIS));
  }

  /** A rack whose machines do not run any more, and whose Nodes may leave now. */
  public static RackRepair ofOutage(String rack, Instant now) {
    return of(rack, "", now);
  }

  /** Whether its machines do not run any more. */
  public boolean isOutage() {
    return alert.isEmpty();
  }

  /**
   * Whether an alert asks for a repair of at least half of the Nodes of a rack, so that it counts
   * for the rack.
   *
   * @param ofRack the pool's members in the rack
   */
  public static boolean isOfRack(List<Member> ofRack, String alert) {
    long asked =
        ofRack.stream()
            .filter(member -> member.findings().needed().find(alert).isPresent())
            .count();
    return asked >= RackHealth.enough(ofRack.size());
  }

  /** Whether a problem of this many of the rack's Nodes is treated as a problem of the rack. */
  public static boolean isMost(Members members, String rack, long count) {
    return count >= RackHealth.enough(members.byRack().uids(rack).size());
  }

  /** Returns the repair with a new permission, for further Nodes. */
  public RackRepair again(Instant now) {
    return of(rack, alert, now);
  }

  /** Whether the permission covers a Node whose repair may be carried out from this instant on. */
  public boolean covers(Instant dueAt) {
    return !dueAt.isAfter(at);
  }

  /** Whether this machine is repaired for this alert, with its rack. */
  public boolean isFor(String ofAlert, Host host) {
    return alert.equals(ofAlert) && isIn(host);
  }

  /** Whether this machine is in the rack. */
  public boolean isIn(Host host) {
    return host.machine().rack().equals(rack);
  }

  /** How many of its Nodes are being repaired, for any alert. */
  public int underWay(Members members) {
    return members.byRack().underRepair(rack);
  }

  /**
   * Whether its Nodes are being repaired, or may be about to be.
   *
   * @param after permissions from before this instant have expired
   */
  public boolean lasts(Members members, Instant after) {
    return at.isAfter(after) || underWay(members) > 0;
  }

  /**
   * Its Nodes that are cordoned for the alert while it is active, and whose repair for it comes
   * next.
   *
   * @param keepsWork whether their pool protects work from repairs
   */
  public Stream<Member> cordoned(Members members, boolean keepsWork) {
    return in(members, rack)
        .filter(member ->
            MachineRepair.next(member, keepsWork)
                .filter(repair -> repair.alert().equals(alert))
                .filter(_ -> member.findings().needed().stands(alert))
                .isPresent());
  }

  /** The pool's members in a rack. */
  public static Stream<Member> in(Members members, String rack) {
    return members.byRack().uids(rack).stream().flatMap(uid -> members.find(uid).stream());
  }
}
