package io.nodepool.plan.disruption;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.snapshot.PoolSnapshot;
import java.util.Set;
import java.util.TreeSet;

/**
 * The Nodes of a pool that tenants cannot use, for whatever cause, and how many may be (decisions
 * D68 and D155). A Node that the pool had and is replacing counts until its replacement is
 * available, also while no Host is assigned for it. For instance types that are allocated in racks
 * the unit is a rack, which counts once with any such Node. Counts also what one plan admits.
 */
public final class UnavailableNodes {
  private final Members members;
  private final boolean inRacks;
  private final int most;

  /** Names of the racks of which Nodes are missing. */
  private final Set<String> shortRacks;

  /**
   * Nodes that are missing, and Hosts that the pool holds or is being assigned and that were not
   * read yet; in units, without those of known racks.
   */
  private final int unseen;

  /** What this plan admits and was available before: UIDs of Hosts, or names of racks. */
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
   * Counts those of a pool.
   *
   * @param limit how many may be unavailable; a percentage is one of the registered Nodes, or of
   *     the racks that have one
   * @param rackSize the number of Nodes in a rack, at most 1 for types that are allocated singly
   */
  public static UnavailableNodes of(PoolSnapshot seen, RolloutSettings.Limit limit, int rackSize) {
    Members members = seen.members();
    boolean inRacks = rackSize > 1;
    int unseen = seen.unread().size() + seen.assigning() + seen.missing();
    Set<String> shortRacks = new TreeSet<>();
    if (inRacks && unseen > 0) {
      // Machines that were not seen are first of all those which the known racks lack.
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
   * The same count with room for what goes before those that wait for the end of their own work,
   * but for twice as many at most.
   *
   * @param waiting how many wait for that
   */
  public UnavailableNodes before(int waiting) {
    return new UnavailableNodes(
        members, inRacks, most + Math.min(most, waiting), shortRacks, unseen, admitted);
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
        inRacks
            ? members.byRack().unavailable().size() + beside(shortRacks)
            : members.count(Members.Trait.UNAVAILABLE);
    return before + admitted.size() + unseen;
  }

  private int beside(Set<String> racks) {
    return (int)
        racks.stream().filter(rack -> !members.byRack().unavailable().contains(rack)).count();
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

  /** The racks that count, without those that this plan admits. */
  public Set<String> racks() {
    Set<String> racks = new TreeSet<>(shortRacks);
    racks.addAll(members.byRack().unavailable());
    return racks;
  }

  /** Whether the Node, or any of its rack, counts. */
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
