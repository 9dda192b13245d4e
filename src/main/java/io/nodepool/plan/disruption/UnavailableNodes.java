package io.nodepool.plan.disruption;

import io.nodepool.model.node.Member;
import io.nodepool.model.node.Members;
import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.model.pool.RolloutSettings;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The Nodes of a pool that tenants cannot use, for whatever cause, and how many may be (decision
 * D68). For instance types that are allocated in racks the unit is a rack, which counts once with
 * any such Node. Counts also what one plan begins.
 */
public final class UnavailableNodes {
  private final boolean inRacks;
  private final int most;

  /** Hosts that the pool holds or is being assigned, and that were not read yet, in units. */
  private final int unseen;

  /** The UIDs of Hosts, or the names of racks. */
  private final Set<String> units;

  private UnavailableNodes(boolean inRacks, int most, int unseen, Set<String> units) {
    this.inRacks = inRacks;
    this.most = most;
    this.unseen = unseen;
    this.units = units;
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
    int size = inRacks ? members.currentInRacks().size() : members.count(Members.Trait.CURRENT);
    int unseen = seen.unread().size() + seen.assigning();
    return new UnavailableNodes(
        inRacks,
        limit.of(size),
        inRacks ? Math.ceilDiv(unseen, rackSize) : unseen,
        members
            .having(Members.Trait.UNAVAILABLE)
            .map(member -> unit(member, inRacks))
            .collect(Collectors.toCollection(TreeSet::new)));
  }

  private static String unit(Member member, boolean inRacks) {
    return inRacks ? member.host().machine().rack() : member.host().id().uid();
  }

  /** Whether the unit is a rack. */
  public boolean isInRacks() {
    return inRacks;
  }

  /** The Node's UID of its Host, or the name of its rack. */
  public String unit(Member member) {
    return unit(member, inRacks);
  }

  /** How many are unavailable. */
  public int count() {
    return units.size() + unseen;
  }

  /** How many may be. */
  public int most() {
    return most;
  }

  /** Whether another one may become unavailable. */
  public boolean hasRoom() {
    return count() < most;
  }

  /** How many more are unavailable than may be. */
  public int surplus() {
    return Math.max(0, count() - most);
  }

  /** Whether the Node, or any of its rack, counts. */
  public boolean contains(Member member) {
    return units.contains(unit(member));
  }

  /** Counts the Node, or its rack. */
  public void add(Member member) {
    units.add(unit(member));
  }
}
