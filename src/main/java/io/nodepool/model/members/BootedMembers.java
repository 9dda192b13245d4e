package io.nodepool.model.members;

import io.nodepool.fleet.BootRequest;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.TurnPlace;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The members of a pool by the configuration that they booted into, as rollouts count and choose
 * them. Immutable: a change returns another instance in logarithmic time.
 *
 * @param groups what rollouts count, by the configuration that the members booted into
 * @param names names of the members that stand, by the configuration that they booted into
 * @param coming how many members are not registered yet and stay, by the configuration that they
 *     boot
 */
public record BootedMembers(
    TreePMap<String, Group> groups,
    TreePMap<String, TreePSet<String>> names,
    TreePMap<String, Integer> coming) {
  /** No member. */
  static final BootedMembers NONE =
      new BootedMembers(TreePMap.empty(), TreePMap.empty(), TreePMap.empty());

  /**
   * The members that booted into one configuration.
   *
   * @param proven the number of those that tenants can use and that booted for something else than
   *     their repair: a boot that was to heal a machine proves nothing of a configuration
   * @param begun when the boots of those began that are up
   * @param ready those that may have their turn and are available, in the order in which they have
   *     it
   * @param outOfUse those that may have their turn and are unavailable, likewise
   * @param waiting the numbers of those that could have it
   * @param passedOver those that are not chosen again until an instant, by that instant
   * @param turns UIDs of those whose turn can be taken back, by the text of the turn
   */
  record Group(
      int proven,
      TreePSet<MemberInstant> begun,
      TreePSet<TurnPlace> ready,
      TreePSet<TurnPlace> outOfUse,
      Waiting waiting,
      TreePSet<MemberInstant> passedOver,
      TreePMap<String, TreePSet<String>> turns) {
    static final Group NONE =
        new Group(
            0,
            TreePSet.empty(),
            TreePSet.empty(),
            TreePSet.empty(),
            Waiting.NONE,
            TreePSet.empty(),
            TreePMap.empty());

    Group replaced(@Nullable Member last, @Nullable Member next) {
      return new Group(
          proven + (isProven(next) ? 1 : 0) - (isProven(last) ? 1 : 0),
          IndexedSet.moved(begun, begunAt(last), begunAt(next)),
          IndexedSet.moved(ready, place(last, false), place(next, false)),
          IndexedSet.moved(outOfUse, place(last, true), place(next, true)),
          waiting.replaced(last, next),
          IndexedSet.moved(passedOver, passedOverUntil(last), passedOverUntil(next)),
          turned(last, next));
    }

    private TreePMap<String, TreePSet<String>> turned(
        @Nullable Member last, @Nullable Member next) {
      String before = turn(last);
      String after = turn(next);
      TreePMap<String, TreePSet<String>> rest =
          last == null || before == null || before.equals(after)
              ? turns
              : IndexedSet.moved(turns, before, last.host().id().uid(), null);
      return next == null || after == null || after.equals(before)
          ? rest
          : IndexedSet.moved(rest, after, null, next.host().id().uid());
    }

    private static boolean isProven(@Nullable Member member) {
      return member != null
          && !member.isUnavailable()
          && member.host().boot().filter(BootRequest::isRepair).isEmpty();
    }

    private static @Nullable MemberInstant begunAt(@Nullable Member member) {
      return member == null
          ? null
          : member.bootBegunAt().map(at -> moment(at, member)).orElse(null);
    }

    private static @Nullable TurnPlace place(@Nullable Member member, boolean unavailable) {
      return member != null
              && member.mayHaveTurn()
              && member.passedOver().isEmpty()
              && member.isUnavailable() == unavailable
          ? TurnPlace.of(member)
          : null;
    }

    private static @Nullable MemberInstant passedOverUntil(@Nullable Member member) {
      return member == null || !member.isStanding()
          ? null
          : member.passedOver().map(until -> moment(until, member)).orElse(null);
    }

    private static @Nullable String turn(@Nullable Member member) {
      return member == null ? null : member.revocableTurn().orElse(null);
    }

    private static MemberInstant moment(Instant at, Member member) {
      return new MemberInstant(at, member.host().id().uid());
    }
  }

  /**
   * Numbers of members that wait for what is not the pool's to decide.
   *
   * @param busy those that could have their turn if they were not busy
   * @param cordoned those that could have it if another client had not cordoned them
   */
  record Waiting(int busy, int cordoned) {
    static final Waiting NONE = new Waiting(0, 0);

    Waiting replaced(@Nullable Member last, @Nullable Member next) {
      return new Waiting(
          busy + (isBusy(next) ? 1 : 0) - (isBusy(last) ? 1 : 0),
          cordoned + (isCordoned(next) ? 1 : 0) - (isCordoned(last) ? 1 : 0));
    }

    private static boolean isBusy(@Nullable Member member) {
      return member != null && member.mayHaveTurn() && member.isBusy();
    }

    private static boolean isCordoned(@Nullable Member member) {
      return member != null && member.waitsForUncordon();
    }
  }

  /** With the next state of a member in place of the last one; null stands for none. */
  BootedMembers replaced(@Nullable Member last, @Nullable Member next) {
    TreePMap<String, Group> nextGroups = groups;
    if (last != null && next != null && profile(last).equals(profile(next))) {
      nextGroups = with(groups, profile(next), last, next);
    } else {
      nextGroups = last == null ? nextGroups : with(nextGroups, profile(last), last, null);
      nextGroups = next == null ? nextGroups : with(nextGroups, profile(next), null, next);
    }
    return new BootedMembers(nextGroups, renamed(last, next), recounted(last, next));
  }

  private static TreePMap<String, Group> with(
      TreePMap<String, Group> groups,
      String profile,
      @Nullable Member last,
      @Nullable Member next) {
    Group group = groups.getOrDefault(profile, Group.NONE).replaced(last, next);
    return group.equals(Group.NONE) ? groups.minus(profile) : groups.plus(profile, group);
  }

  private TreePMap<String, TreePSet<String>> renamed(@Nullable Member last, @Nullable Member next) {
    String before = last != null && last.isStanding() ? profile(last) : null;
    String after = next != null && next.isStanding() ? profile(next) : null;
    TreePMap<String, TreePSet<String>> rest =
        last == null || before == null || before.equals(after)
            ? names
            : IndexedSet.moved(names, before, last.host().id().name(), null);
    return next == null || after == null || after.equals(before)
        ? rest
        : IndexedSet.moved(rest, after, null, next.host().id().name());
  }

  private TreePMap<String, Integer> recounted(@Nullable Member last, @Nullable Member next) {
    TreePMap<String, Integer> rest =
        last != null && isComing(last) ? IndexedSet.counted(coming, assigned(last), -1) : coming;
    return next != null && isComing(next) ? IndexedSet.counted(rest, assigned(next), 1) : rest;
  }

  private static boolean isComing(Member member) {
    return member.isInProgress() && !member.isTerminating();
  }

  private static String assigned(Member member) {
    return member.host().occupancy().configuration();
  }

  private static String profile(Member member) {
    return member.host().report().bootedConfiguration();
  }

  /** How many stand that booted into this configuration. */
  public int count(String profile) {
    TreePSet<String> booted = names.get(profile);
    return booted == null ? 0 : booted.size();
  }

  /** How many stand. */
  public int count() {
    return names.values().stream().mapToInt(Set::size).sum();
  }

  private Group of(String profile) {
    return groups.getOrDefault(profile, Group.NONE);
  }

  private Stream<Group> others(String profile) {
    return groups.entrySet().stream()
        .filter(each -> !each.getKey().equals(profile))
        .map(Map.Entry::getValue);
  }

  /**
   * How many Nodes that tenants can use booted into this configuration, for something else than
   * their repair.
   */
  public int proven(String profile) {
    return of(profile).proven();
  }

  /** When the last boot into this configuration began of a Node that is up; empty without one. */
  public Optional<Instant> lastBegun(String profile) {
    TreePSet<MemberInstant> begun = of(profile).begun();
    return begun.isEmpty() ? Optional.empty() : Optional.of(begun.last().at());
  }

  /** Whether all members that are not registered yet, and stay, boot into this configuration. */
  public boolean isComingInto(String profile) {
    return coming.isEmpty() || (coming.size() == 1 && coming.containsKey(profile));
  }

  /** How many members that are not registered yet, and stay, boot into this configuration. */
  public int comingInto(String profile) {
    return coming.getOrDefault(profile, 0);
  }

  /** How many Nodes booted into another configuration and could have their turn if not busy. */
  public int busyOutdated(String profile) {
    return others(profile).mapToInt(group -> group.waiting().busy()).sum();
  }

  /** How many Nodes booted into another configuration and were cordoned by another client. */
  public int cordonedOutdated(String profile) {
    return others(profile).mapToInt(group -> group.waiting().cordoned()).sum();
  }

  /** How many Nodes that booted into another configuration are passed over at this instant. */
  public int passedOverOutdated(String profile, Instant now) {
    return others(profile).mapToInt(group -> after(group, now).size()).sum();
  }

  /** When the first of these may be chosen again; empty if there is none. */
  public Optional<Instant> nextPassedOver(String profile, Instant now) {
    return others(profile)
        .map(group -> after(group, now))
        .filter(moments -> !moments.isEmpty())
        .map(moments -> moments.first().at())
        .min(Instant::compareTo);
  }

  private static TreePSet<MemberInstant> after(Group group, Instant now) {
    return group.passedOver().tailSet(new MemberInstant(now.plusNanos(1), ""));
  }

  /**
   * UIDs of the Hosts of Nodes that booted into another configuration, may have their turn, and are
   * available: the first ones in their order.
   *
   * @param busy whether busy ones too
   * @param limit how many at most
   */
  public List<String> firstOutdated(String profile, boolean busy, int limit) {
    return first(others(profile).map(Group::ready), busy, limit);
  }

  /** The same of Nodes that are unavailable. */
  public List<String> firstOutOfUse(String profile, boolean busy, int limit) {
    return first(others(profile).map(Group::outOfUse), busy, limit);
  }

  private static List<String> first(Stream<TreePSet<TurnPlace>> places, boolean busy, int limit) {
    return places
        .flatMap(each -> each.stream().takeWhile(place -> busy || !place.busy()).limit(limit))
        .sorted()
        .limit(limit)
        .map(TurnPlace::uid)
        .toList();
  }

  /**
   * UIDs of the Hosts of Nodes whose turn can be taken back, and is another one than this, or for
   * the configuration that they booted into.
   */
  public List<String> turnsBeside(String profile, String turn) {
    return groups.entrySet().stream()
        .flatMap(group ->
            group.getValue().turns().entrySet().stream()
                .filter(each -> group.getKey().equals(profile) || !each.getKey().equals(turn))
                .flatMap(each -> each.getValue().stream()))
        .toList();
  }
}
