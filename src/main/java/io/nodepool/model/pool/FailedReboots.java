package io.nodepool.model.pool;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The Nodes of a pool whose machines did not come back from their reboots: which of them may leave,
 * and what holds the others (decision D221). Of constant size, and recorded on the pool before a
 * Node leaves.
 *
 * @param waiting how many wait to leave
 * @param names the first of these, at most {@link #NAMED}
 * @param why what holds them: one sentence; empty text if none waits
 * @param admitted the last one that may leave
 * @param row when the last ones were admitted between which none came back, oldest first, at most
 *     {@link #ROW}
 * @param heldSince since when no other is admitted until a person releases that; it names the hold
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

  /** How many may be admitted in a row. */
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
    /** Whether this is the reboot of that member that failed. */
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

  /** How many of these members leave, or may, because their machines did not come back. */
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

  /** What a person writes to release what is held; empty if nothing is held for a person. */
  public Optional<String> hold() {
    return heldSince.map(Instant::toString);
  }
}
