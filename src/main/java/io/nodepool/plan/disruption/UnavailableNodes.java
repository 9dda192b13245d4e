package io.nodepool.plan.disruption;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.snapshot.PoolSnapshot;
import java.util.Set;
import java.util.TreeSet;

/**
 * The Nodes of a pool that tenants cannot use, for any cause, and the limit of their number
 * (decisions D68 and D155). A Node that the pool is replacing counts until its replacement is
 * available, also while no Host is assigned for it. For instance types that are allocated in racks
 * the unit is a rack, which counts once if any of its Nodes does. What one plan admits counts too.
 */
public final class UnavailableNodes {
  private final Members members;
  private final boolean inRacks;
  private final int most;

  /** Names of the racks that lack Nodes. */
  private final Set<String> shortRacks;

  /**
   * The number of units that are missing or not read yet, including Hosts that are being assigned;
   * without those of known racks.
   */
  private final int unseen;

  /** The available units that this plan admits: UIDs of Hosts, or names of racks. */
  private final Set<String> admitted;

  private UnavailableNodes(
      Members members,
      boolean inRacks,
      int most,
      Set<String> shortRacks,
      int unseen,
      Set<String> admitted) {
    this.admitted = admitted;
    this.members = members;
    this.inRacks = inRacks;
    this.most = most;
    this.shortRacks = shortRacks;
    this.unseen = unseen;
  }

  /**
   * Counts the unavailable Nodes of a pool.
   *
   * @param limit how many may be unavailable; a percentage refers to the registered Nodes, or to
   *     the racks that have one
   * @param rackSize the number of Nodes in a rack, at most 1 for types that are allocated singly
   */
  public static UnavailableNodes of(PoolSnapshot seen, RolloutSettings.Limit limit, int rackSize) {
    Members members = seen.members();
    boolean inRacks = rackSize > 1;
    int unseen = seen.unread().size() + seen.assigning() + seen.missing();
    Set<String> shortRacks = new TreeSet<>();
    if (inRacks && unseen > 0) {
      // Machines that were not read first fill the known racks that lack Nodes.
      for (var each : members.byRack().heldBelow(rackSize).entrySet()) {
        shortRacks.addAll(each.getValue());
        unseen -= each.getValue().size() * (rackSize - each.getKey());
      }
    }
    return new UnavailableNodes(
        members,
        inRacks,
        limit.of(inRacks ? members.byRack().current() : members.count(Members.Trait.CURRENT)),
        shortRacks,
        Math.ceilDiv(Math.max(0, unseen), inRacks ? rackSize : 1),
        new TreeSet<>());
  }

  /**
   * The same count with a higher limit, so that Nodes that wait do not block others: each of them
   * adds one, up to twice the limit.
   *
   * @param waiting how many Nodes wait, such as for the end of their own work
   */
  public UnavailableNodes before(int waiting) {
    return new UnavailableNodes(
        members, inRacks, most + Math.min(most, waiting), shortRacks, unseen, admitted);
  }

  /** Whether the unit is a rack. */
  public boolean isInRacks() {
    return inRacks;
  }

  /** The UID of the Node's Host, or the name of its rack. */
  public String unit(Member member) {
    return inRacks ? member.host().machine().rack() : member.host().id().uid();
  }

  /** How many units are unavailable. */
  public int count() {
    int before =
        inRacks
            ? members.byRack().unavailable().size() + beside(shortRacks)
            : members.count(Members.Trait.UNAVAILABLE);
    return before + admitted.size() + unseen;
  }

  private int beside(Set<String> racks) {
    return (int)
        racks.stream().filter(rack -> !members.byRack().unavailable().contains(rack)).count();
  }

  /** How many units may be unavailable. */
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

  /** By how many the unavailable units exceed the limit. */
  public int surplus() {
    return Math.max(0, count() - most);
  }

  /** The racks that count, without those that this plan admits. */
  public Set<String> racks() {
    Set<String> racks = new TreeSet<>(shortRacks);
    racks.addAll(members.byRack().unavailable());
    return racks;
  }

  /** Whether the Node, or its rack, counts as unavailable. */
  public boolean contains(Member member) {
    return admitted.contains(unit(member)) || wasUnavailable(member);
  }

  private boolean wasUnavailable(Member member) {
    return inRacks ? wasUnavailable(unit(member)) : member.isUnavailable();
  }

  private boolean wasUnavailable(String rack) {
    return shortRacks.contains(rack) || members.byRack().unavailable().contains(rack);
  }

  /** Counts the Node, or its rack. */
  public void add(Member member) {
    if (!wasUnavailable(member)) {
      admitted.add(unit(member));
    }
  }

  /** Counts a rack. */
  public void addRack(String rack) {
    if (!wasUnavailable(rack)) {
      admitted.add(rack);
    }
  }
}
