package io.nodepool.plan.disruption;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.snapshot.PoolSnapshot;
import java.util.Set;
import java.util.TreeSet;

/**
 * The Nodes of a pool that tenants cannot use, for whatever cause, and how many may be (decision
 * D68). For instance types that are allocated in racks the unit is a rack, which counts once with
 * any such Node. Counts also what one plan admits.
 */
public final class UnavailableNodes {
  private final Members members;
  private final boolean inRacks;
  private final int most;

  /** Hosts that the pool holds or is being assigned, and that were not read yet, in units. */
  private final int unseen;

  /** What this plan admits and was available before: UIDs of Hosts, or names of racks. */
  private final Set<String> admitted = new TreeSet<>();

  private UnavailableNodes(Members members, boolean inRacks, int most, int unseen) {
    this.members = members;
    this.inRacks = inRacks;
    this.most = most;
    this.unseen = unseen;
  }

  /**
   * Counts those of a pool.
   *
   * @param limit how many may be unavailable; a percentage is one of the registered Nodes, or of
   *     the racks that have one
   * @param rackSize the number of Nodes in a rack, at most 1 for types that are allocated singly
   */
  public static UnavailableNodes of(PoolSnapshot seen, RolloutSettings.Limit limit, int rackSize) {
    Members members = seen.members();
    boolean inRacks = rackSize > 1;
    int size = inRacks ? members.byRack().current() : members.count(Members.Trait.CURRENT);
    int unseen = seen.unread().size() + seen.assigning();
    return new UnavailableNodes(
        members, inRacks, limit.of(size), inRacks ? Math.ceilDiv(unseen, rackSize) : unseen);
  }

  /** Whether the unit is a rack. */
  public boolean isInRacks() {
    return inRacks;
  }

  /** The Node's UID of its Host, or the name of its rack. */
  public String unit(Member member) {
    return inRacks ? member.host().machine().rack() : member.host().id().uid();
  }

  /** How many are unavailable. */
  public int count() {
    int before =
        inRacks ? members.byRack().unavailable().size() : members.count(Members.Trait.UNAVAILABLE);
    return before + admitted.size() + unseen;
  }

  /** How many may be. */
  public int most() {
    return most;
  }

  /** How many more may become unavailable. */
  public int room() {
    return Math.max(0, most - count());
  }

  /** Whether another one may become unavailable. */
  public boolean hasRoom() {
    return room() > 0;
  }

  /** How many more are unavailable than may be. */
  public int surplus() {
    return Math.max(0, count() - most);
  }

  /** Whether the Node, or any of its rack, counts. */
  public boolean contains(Member member) {
    return admitted.contains(unit(member)) || wasUnavailable(member);
  }

  private boolean wasUnavailable(Member member) {
    return inRacks ? members.byRack().unavailable().contains(unit(member)) : member.isUnavailable();
  }

  /** Counts the Node, or its rack. */
  public void add(Member member) {
    if (!wasUnavailable(member)) {
      admitted.add(unit(member));
    }
  }

  /** Counts a rack. */
  public void addRack(String rack) {
    if (!members.byRack().unavailable().contains(rack)) {
      admitted.add(rack);
    }
  }
}
