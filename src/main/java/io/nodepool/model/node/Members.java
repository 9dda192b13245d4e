package io.nodepool.model.node;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.HostPhase;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

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
    BOOTING(member -> member.host().isBooting()),
    /** Its Host is assigned, has not booted, and is not being removed. */
    COMING_UP(member -> member.host().isBooting() && !member.isTerminating()),
    /** Its stored state cannot be read. */
    FROZEN(Member::isFrozen),
    /** Its Node is marked for removal and not draining yet. */
    MARKED(member -> member.mark().isPresent()),
    /** The disruption of its Node is committed. */
    COMMITTED(member -> member.node().filter(Node::isDraining).isPresent()),
    /** Its Node is marked, draining, or exists although its machine must stop. */
    BEING_REMOVED(Member::isBeingRemoved),
    /** Its Node's Pods are being evicted, and no budget blocks that. */
    DRAINING(member -> member.isRemovedAt(NodeRemovalReason.DRAINING)),
    /** A PodDisruptionBudget blocks its drain. */
    BLOCKED(member -> member.isRemovedAt(NodeRemovalReason.BLOCKED_BY_BUDGET)),
    /** The deadline of its drain has passed. */
    FORCED(member -> member.isRemovedAt(NodeRemovalReason.FORCED)),
    /** The last writes of its Node's removal failed. */
    TROUBLED(member -> member.trouble().isPresent()),
    /** The API server denies what the pool's spec defines for its Node. */
    REFUSED(member -> member.findings().refusal().isPresent()),
    /** Tenants cannot use it, for whatever cause. */
    UNAVAILABLE(Member::isUnavailable),
    /** A rollout of its pool disrupts its Node. */
    ROLLING_OUT(Member::isRollingOut),
    /** The deletion of its Node was accepted, and the Node still exists. */
    DELETING(member -> member.node().filter(Node::deleting).isPresent()),
    /** The last write that was to stage a configuration on its Host failed. */
    STAGING_FAILED(member -> member.findings().staging().isPresent()),
    /** An attempt to reboot its machine failed, in a reboot under way. */
    REBOOT_RETRIED(Member::isRebootRetried),
    /** Its fleet reports that its machine failed before it booted. */
    FAILED_DELIVERY(member ->
        member.isWaitedForAt(Member.Stage.DELIVERY) && member.host().is(HostPhase.FAILED));

    private final Predicate<Member> test;

    Trait(Predicate<Member> test) {
      this.test = test;
    }
  }

  /** No member. */
  public static final Members NONE =
      new Members(
          TreePMap.empty(),
          Map.of(),
          Map.of(),
          TreePSet.empty(Moment.ORDER),
          TreePMap.empty(),
          TreePMap.empty());

  /** An instant of the member whose Host has this UID, as a sort key. */
  private record Moment(Instant at, String uid) {
    static final Comparator<Moment> ORDER =
        Comparator.comparing(Moment::at).thenComparing(Moment::uid);
  }

  /** By the UID of the Host. */
  private final TreePMap<String, Member> all;

  /** UIDs of the members with each trait. */
  private final Map<Trait, TreePSet<String>> traits;

  /** The members of which each stage is awaited, by the start of the wait. */
  private final Map<Member.Stage, TreePSet<Moment>> waiting;

  /** By the instant at which the Host was assigned. */
  private final TreePSet<Moment> assigned;

  /**
   * Names of the current members that are not being removed, by the profile that they booted into.
   */
  private final TreePMap<String, TreePSet<String>> booted;

  /** How many members of each rack are current. */
  private final TreePMap<String, Integer> racks;

  private Members(
      TreePMap<String, Member> all,
      Map<Trait, TreePSet<String>> traits,
      Map<Member.Stage, TreePSet<Moment>> waiting,
      TreePSet<Moment> assigned,
      TreePMap<String, TreePSet<String>> booted,
      TreePMap<String, Integer> racks) {
    this.all = all;
    this.traits = traits;
    this.waiting = waiting;
    this.assigned = assigned;
    this.booted = booted;
    this.racks = racks;
  }

  /** These members. */
  public static Members of(Collection<Member> members) {
    Members all = NONE;
    for (Member member : members) {
      all = all.with(member);
    }
    return all;
  }

  /** With this member, in place of the one with the same Host. */
  public Members with(Member next) {
    String uid = next.host().id().uid();
    Member last = all.get(uid);
    return next.equals(last) ? this : replaced(uid, last, next);
  }

  /** Without the member whose Host has this UID. */
  public Members without(String hostUid) {
    Member last = all.get(hostUid);
    return last == null ? this : replaced(hostUid, last, null);
  }

  private Members replaced(String uid, @Nullable Member last, @Nullable Member next) {
    Map<Trait, TreePSet<String>> nextTraits = new EnumMap<>(Trait.class);
    for (Trait trait : Trait.values()) {
      String left = has(last, trait) ? uid : null;
      String entered = has(next, trait) ? uid : null;
      nextTraits.put(trait, moved(with(trait), left, entered));
    }
    Map<Member.Stage, TreePSet<Moment>> nextWaiting = new EnumMap<>(Member.Stage.class);
    for (Member.Stage stage : Member.Stage.values()) {
      nextWaiting.put(stage, moved(at(stage), waits(last, stage), waits(next, stage)));
    }
    return new Members(
        next == null ? all.minus(uid) : all.plus(uid, next),
        nextTraits,
        nextWaiting,
        moved(assigned, assignedAt(last), assignedAt(next)),
        rebooted(last, next),
        recounted(last, next));
  }

  private TreePSet<String> with(Trait trait) {
    return traits.getOrDefault(trait, TreePSet.empty());
  }

  private TreePSet<Moment> at(Member.Stage stage) {
    return waiting.getOrDefault(stage, TreePSet.empty(Moment.ORDER));
  }

  private static <E> TreePSet<E> moved(TreePSet<E> set, @Nullable E last, @Nullable E next) {
    if (Objects.equals(last, next)) {
      return set;
    }
    TreePSet<E> rest = last == null ? set : set.minus(last);
    return next == null ? rest : rest.plus(next);
  }

  private static boolean has(@Nullable Member member, Trait trait) {
    return member != null && trait.test.test(member);
  }

  private static @Nullable Moment waits(@Nullable Member member, Member.Stage stage) {
    return member == null || !member.isWaitedForAt(stage)
        ? null
        : new Moment(member.waiting().orElseThrow().since(), member.host().id().uid());
  }

  private static @Nullable Moment assignedAt(@Nullable Member member) {
    return member == null
        ? null
        : member
            .host()
            .assignment()
            .map(Assignment::at)
            .map(at -> new Moment(at, member.host().id().uid()))
            .orElse(null);
  }

  private TreePMap<String, TreePSet<String>> rebooted(
      @Nullable Member last, @Nullable Member next) {
    boolean was = isBooted(last);
    boolean is = isBooted(next);
    if (was == is && (last == null || next == null || profile(last).equals(profile(next)))) {
      return booted;
    }
    TreePMap<String, TreePSet<String>> result = booted;
    if (last != null && was) {
      TreePSet<String> left = names(result, profile(last)).minus(last.host().id().name());
      result = left.isEmpty() ? result.minus(profile(last)) : result.plus(profile(last), left);
    }
    if (next != null && is) {
      result =
          result.plus(profile(next), names(result, profile(next)).plus(next.host().id().name()));
    }
    return result;
  }

  private static boolean isBooted(@Nullable Member member) {
    return member != null && member.isCurrent() && !member.isTerminating();
  }

  private static String profile(Member member) {
    return member.host().report().bootedConfiguration();
  }

  private static TreePSet<String> names(TreePMap<String, TreePSet<String>> booted, String profile) {
    return booted.getOrDefault(profile, TreePSet.empty());
  }

  private TreePMap<String, Integer> recounted(@Nullable Member last, @Nullable Member next) {
    boolean was = has(last, Trait.CURRENT);
    boolean is = has(next, Trait.CURRENT);
    TreePMap<String, Integer> result = racks;
    if (last != null && was && !is) {
      String rack = last.host().machine().rack();
      int left = result.getOrDefault(rack, 0) - 1;
      result = left == 0 ? result.minus(rack) : result.plus(rack, left);
    }
    if (next != null && is && !was) {
      String rack = next.host().machine().rack();
      result = result.plus(rack, result.getOrDefault(rack, 0) + 1);
    }
    return result;
  }

  /** The number of members. */
  public int size() {
    return all.size();
  }

  /** The number of members with this trait. */
  public int count(Trait trait) {
    return with(trait).size();
  }

  /** The member whose Host has this UID. */
  public Optional<Member> find(String hostUid) {
    return Optional.ofNullable(all.get(hostUid));
  }

  /** All members, ordered by the UIDs of their Hosts. */
  public Stream<Member> stream() {
    return all.values().stream();
  }

  @Override
  public Iterator<Member> iterator() {
    return all.values().iterator();
  }

  /** The members with this trait, ordered by the UIDs of their Hosts. */
  public Stream<Member> having(Trait trait) {
    return with(trait).stream().map(this::member);
  }

  /** Those of which this stage is awaited, the longest wait first. */
  public Stream<Member> waiting(Member.Stage stage) {
    return at(stage).stream().map(moment -> member(moment.uid()));
  }

  /** Those of which this stage is awaited since this instant or later. */
  public Stream<Member> waitingSince(Member.Stage stage, Instant since) {
    return at(stage).tailSet(new Moment(since, "")).stream().map(moment -> member(moment.uid()));
  }

  /** How many Hosts were assigned at this instant or later. */
  public int countAssignedSince(Instant since) {
    return assigned.tailSet(new Moment(since, "")).size();
  }

  /** Those whose Hosts were assigned at this instant or later, the earliest first. */
  public Stream<Member> assignedSince(Instant since) {
    return assigned.tailSet(new Moment(since, "")).stream().map(moment -> member(moment.uid()));
  }

  /**
   * Names of the current members that are not being removed, by the profile that they booted into.
   */
  public SortedMap<String, ? extends SortedSet<String>> booted() {
    return booted;
  }

  /** The number of current members of each rack that has one. */
  public Collection<Integer> currentInRacks() {
    return racks.values();
  }

  private Member member(String uid) {
    return Objects.requireNonNull(all.get(uid));
  }

  /** Whether both have equal members, counts and orders. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Members same
        && all.equals(same.all)
        && Stream.of(Trait.values()).allMatch(trait -> with(trait).equals(same.with(trait)))
        && Stream.of(Member.Stage.values()).allMatch(stage -> at(stage).equals(same.at(stage)))
        && assigned.equals(same.assigned)
        && booted.equals(same.booted)
        && racks.equals(same.racks);
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
