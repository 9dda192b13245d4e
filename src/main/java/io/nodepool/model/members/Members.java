package io.nodepool.model.members;

import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.ReportedState;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Instant;
import java.util.Collection;
import java.util.Iterator;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;

/**
 * The Hosts that a pool holds, with the counts and orders that plans need, so that a plan which
 * chooses no Node reads counts instead of all members. Immutable: a change returns another instance
 * in logarithmic time, which shares structure with this one.
 */
public final class Members implements Iterable<Member> {
  /** A property of a member by which members are counted and found. */
  public enum Trait {
    /** It counts in currentNodes. */
    CURRENT(Member::isCurrent),
    /** It counts in inProgress. */
    IN_PROGRESS(Member::isInProgress),
    /** It is being removed from the pool irrevocably. */
    LEAVING(Member::isTerminating),
    /** Its Host is assigned and has not booted. */
    BOOTING(Member::isBooting),
    /** Its Host is assigned, has not booted, and is not being removed. */
    COMING_UP(member -> member.isBooting() && !member.isTerminating()),
    /** Its stored state cannot be read. */
    FROZEN(Member::isFrozen),
    /** Its machine has booted and may have a Node whose state could not be read. */
    UNREAD(member -> member.isFrozen() && member.node().isEmpty() && !member.host().isBooting()),
    /** Its machine is held. */
    MACHINE_HELD(Member::isMachineHeld),
    /** Its machine must be off, and may still run. */
    TO_BE_FENCED(Member::isToBeFenced),
    /** Its Node is chosen to leave, and this may still be withdrawn. */
    REVOCABLE(member -> member.revocable().isPresent()),
    /** Its pool removes its Node, or the Node exists although its machine must be off. */
    BEING_REMOVED(Member::isBeingRemoved),
    /** Its Node's Pods are being evicted, and no budget blocks that. */
    DRAINING(member -> member.isRemovedAt(NodeRemovalReason.DRAINING)),
    /** A PodDisruptionBudget blocks its drain. */
    BLOCKED(member -> member.isRemovedAt(NodeRemovalReason.BLOCKED_BY_BUDGET)),
    /** The deadline of its drain has passed. */
    FORCED(member -> member.isRemovedAt(NodeRemovalReason.FORCED)),
    /** The last writes of its Node's removal failed. */
    TROUBLED(member -> member.isTroubled(false)),
    /** The last writes of the reboot of its machine, or of its verification, failed. */
    REBOOT_TROUBLED(member -> member.isTroubled(true)),
    /** The API server denies what the pool's spec defines for its Node. */
    REFUSED(member -> member.findings().refusal().isPresent()),
    /** Tenants cannot use it, for whatever cause. */
    UNAVAILABLE(Member::isUnavailable),
    /** A rollout of its pool disrupts its Node. */
    ROLLING_OUT(Member::isRollingOut),
    /** A rollout of its pool disrupts its Node, and that can be taken back. */
    TURN_REVOCABLE(member -> member.revocableTurn().isPresent()),
    /** A rollout, or a write that is not answered yet, makes its Node unavailable. */
    TURN_UNAVAILABLE(
        member -> member.isUnavailable() && (member.isRollingOut() || member.cordoning())),
    /** The deletion of its Node was accepted, and the Node still exists. */
    DELETING(member -> member.node().filter(Node::deleting).isPresent()),
    /** The last write to stage a configuration on its Host failed. */
    STAGING_FAILED(member -> member.findings().staging().isPresent()),
    /** An attempt to reboot its machine failed, in a reboot under way. */
    REBOOT_RETRIED(Member::isRebootRetried),
    /** Its machine did not come back from its reboot, and its Node does not leave yet. */
    LOST(Member::isLost),
    /** Its Node leaves, and its machine did not come back from its reboot. */
    LOST_LEAVING(member -> member.failedReboot().isPresent() && !member.isLost()),
    /** Its Node is not Ready although its machine runs. */
    SILENT(member ->
        ReportedState.NOT_READY.since(member).isPresent()
            && member.host().is(HostPhase.RUNNING)
            && !member.host().isRebooting()),
    /** A repair of its machine is carried out. */
    UNDER_REPAIR(MachineRepair::isUnderWay),
    /** Its machine is verified for an alert, or about to be. */
    ALERT_VERIFYING(MachineRepair::isVerifying),
    /** Its machine was verified for an alert, or did not answer. */
    ALERT_VERIFIED(MachineRepair::isVerified),
    /** Its machine was asked to boot a configuration, and booted into another one. */
    IN_ANOTHER_CONFIGURATION(member -> member.host().bootedAnotherConfiguration()),
    /** Its machine did not boot a configuration after repeated requests. */
    BOOTS_EXHAUSTED(Member::hasExhaustedBoots),
    /** The boot of its machine could not be requested in its last turn in a rollout. */
    BOOT_NOT_REQUESTED(
        member -> member.isStanding() && member.node().flatMap(Node::turnWithoutBoot).isPresent()),
    /** Its fleet reports that its machine failed before it booted. */
    FAILED_DELIVERY(
        member -> member.isAwaited(Member.Awaited.DELIVERY) && member.host().is(HostPhase.FAILED));

    private final Predicate<Member> test;

    Trait(Predicate<Member> test) {
      this.test = test;
    }

    /** Whether this member has this trait. */
    boolean isOf(Member member) {
      return test.test(member);
    }
  }

  /** No member. */
  public static final Members NONE =
      new Members(TreePMap.empty(), TreePMap.empty(), MemberIndexes.NONE, () -> {});

  /** By the UID of the Host. */
  private final TreePMap<String, Member> all;

  /** Machines kept for inspection, by the UID of the Host. They count nowhere else. */
  private final TreePMap<String, Member> preserved;

  private final MemberIndexes indexes;

  /** Runs at each visit of a member, for measurements. */
  private final Runnable visit;

  private Members(
      TreePMap<String, Member> all,
      TreePMap<String, Member> preserved,
      MemberIndexes indexes,
      Runnable visit) {
    this.all = all;
    this.preserved = preserved;
    this.indexes = indexes;
    this.visit = visit;
  }

  /** These members. */
  public static Members of(Collection<Member> members) {
    Members all = NONE;
    for (Member member : members) {
      all = all.with(member);
    }
    return all;
  }

  /** With this member, in place of the member with the same Host. */
  public Members with(Member next) {
    String uid = next.host().id().uid();
    if (next.host().preserved().isPresent()) {
      return without(uid).keeping(preserved.plus(uid, next));
    }
    if (preserved.containsKey(uid)) {
      return keeping(preserved.minus(uid)).with(next);
    }
    return next.equals(all.get(uid)) ? this : replaced(all.plus(uid, next), uid);
  }

  /** Without the member, or the machine kept for inspection, whose Host has this UID. */
  public Members without(String hostUid) {
    Members left = all.containsKey(hostUid) ? replaced(all.minus(hostUid), hostUid) : this;
    return preserved.containsKey(hostUid) ? left.keeping(preserved.minus(hostUid)) : left;
  }

  private Members keeping(TreePMap<String, Member> next) {
    return new Members(all, next, indexes, visit);
  }

  private Members replaced(TreePMap<String, Member> next, String uid) {
    Replacement<Member> member =
        new Replacement<>(Optional.ofNullable(all.get(uid)), Optional.ofNullable(next.get(uid)));
    return new Members(next, preserved, indexes.replaced(member), visit);
  }

  /** The number of members. */
  public int size() {
    return all.size();
  }

  /**
   * The machines that the pool keeps for inspection, ordered by the UIDs of their Hosts: few, and
   * no members (decision D316).
   */
  public Collection<Member> preserved() {
    return preserved.values();
  }

  /** The number of members with this trait. */
  public int count(Trait trait) {
    return indexes.with(trait).size();
  }

  /** The member whose Host has this UID. */
  public Optional<Member> find(String hostUid) {
    return Optional.ofNullable(all.get(hostUid)).map(this::visited);
  }

  /** All members, ordered by the UIDs of their Hosts. */
  public Stream<Member> stream() {
    return all.values().stream().map(this::visited);
  }

  @Override
  public Iterator<Member> iterator() {
    return stream().iterator();
  }

  /** The members with this trait, ordered by the UIDs of their Hosts. */
  public Stream<Member> having(Trait trait) {
    return indexes.with(trait).stream().map(this::member);
  }

  /** Members that wait for this step, the longest wait first. */
  public Stream<Member> waiting(Member.Awaited awaited) {
    return indexes.at(awaited).stream().map(moment -> member(moment.uid()));
  }

  /** The number of members that wait for this step since this instant or earlier. */
  public int waitingBefore(Member.Awaited awaited, Instant since) {
    return indexes.at(awaited).headSet(new MemberInstant(since, "\uffff"), true).size();
  }

  /** Members that wait for this step since this instant or later. */
  public Stream<Member> waitingSince(Member.Awaited awaited, Instant since) {
    return indexes.at(awaited).tailSet(new MemberInstant(since, "")).stream()
        .map(moment -> member(moment.uid()));
  }

  /** When the fleet takes the first machine that it wants back; empty if there is none. */
  public Optional<Instant> firstReclaim() {
    return indexes.reclaimed().stream().findFirst().map(MemberInstant::at);
  }

  /** When the last Node came back from a reboot; empty if none did. */
  public Optional<Instant> lastBack() {
    return indexes.back().descendingSet().stream().findFirst().map(MemberInstant::at);
  }

  /**
   * Names of the current members that are not being removed, by the profile that they booted into.
   */
  public SortedMap<String, ? extends SortedSet<String>> booted() {
    return indexes.booted().names();
  }

  /** The members by the configuration that they booted into. */
  public BootedMembers byConfiguration() {
    return indexes.booted();
  }

  /** The members by the racks of their machines. */
  public RackMembers byRack() {
    return indexes.racks();
  }

  /** The members by the states that the pool's status reports. */
  public ReportedMembers byState() {
    return indexes.reported();
  }

  /** The members whose machines have active alerts that ask for a repair. */
  public FaultyMembers byFault() {
    return indexes.faulty();
  }

  /** The members whose Hosts have these UIDs. */
  public Stream<Member> ofHosts(Collection<String> uids) {
    return uids.stream().map(this::member);
  }

  private Member member(String uid) {
    return visited(Objects.requireNonNull(all.get(uid)));
  }

  private Member visited(Member member) {
    visit.run();
    return member;
  }

  /** These members; each visit of a member runs {@code next}, to measure the cost of a plan. */
  public Members onVisit(Runnable next) {
    return new Members(all, preserved, indexes, next);
  }

  /** Whether both have equal members, counts and orders. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Members same
        && all.equals(same.all)
        && preserved.equals(same.preserved)
        && indexes.equals(same.indexes);
  }

  @Override
  public int hashCode() {
    return all.hashCode();
  }

  @Override
  public String toString() {
    return all.values().toString();
  }
}
