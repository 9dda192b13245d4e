package io.nodepool.model.pool;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The Nodes of a pool whose machines did not come back from their reboots: which may leave, and
 * what holds the rest (decision D221). The record has a constant size, and is written on the pool
 * before a Node leaves.
 *
 * @param waiting the number of Nodes that wait to leave
 * @param names the first of these Nodes, at most {@link #NAMED}
 * @param why what holds them: one sentence; empty text if none waits
 * @param admitted the last Node that may leave
 * @param row when the last Nodes were admitted, while no Node came back in between, oldest first,
 *     at most {@link #ROW}
 * @param heldSince since when no other Node is admitted until a person releases the hold, which
 *     this instant names
 */
@RecordBuilder
public record FailedReboots(
    int waiting,
    List<String> names,
    String why,
    Optional<Admitted> admitted,
    List<Instant> row,
    Optional<Instant> heldSince)
    implements FailedRebootsCopy.With {
  /** The greatest number of names. */
  public static final int NAMED = 5;

  /** The greatest number of Nodes that may be admitted in a row. */
  public static final int ROW = 3;

  /** No reboot failed. */
  public static final FailedReboots NONE =
      new FailedReboots(0, List.of(), "", Optional.empty(), List.of(), Optional.empty());

  /**
   * A Node that may leave.
   *
   * @param node its name
   * @param hostUid UID of its Host
   * @param reboot its reboot, as {@link io.nodepool.model.node.Disruption.Committed#name}
   */
  public record Admitted(String node, String hostUid, String reboot) {
    /** Whether this is the failed reboot of that member. */
    public boolean isOf(Member member) {
      return hostUid.equals(member.host().id().uid())
          && member.failedReboot().filter(reboot::equals).isPresent();
    }
  }

  public FailedReboots {
    names = List.copyOf(names);
    row = List.copyOf(row);
  }

  /** Whether the Node of this Host may leave after this reboot. */
  public boolean admits(String hostUid, String reboot) {
    return admitted
        .filter(each -> each.hostUid().equals(hostUid) && each.reboot().equals(reboot))
        .isPresent();
  }

  /** How many of these members leave, or may leave, since their machines did not come back. */
  public int leaving(Members members) {
    return members.count(Members.Trait.LOST_LEAVING) + (isAdmittedWaiting(members) ? 1 : 0);
  }

  /** How many of these members did not come back and may not leave yet. */
  public int waiting(Members members) {
    return members.count(Members.Trait.LOST) - (isAdmittedWaiting(members) ? 1 : 0);
  }

  private boolean isAdmittedWaiting(Members members) {
    return admitted
        .flatMap(each -> members.find(each.hostUid()).filter(each::isOf))
        .filter(Member::isLost)
        .isPresent();
  }

  /** The text by which a person releases the hold; empty if there is no hold. */
  public Optional<String> hold() {
    return heldSince.map(Instant::toString);
  }
}
