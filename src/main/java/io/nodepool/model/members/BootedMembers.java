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
import org.pcollections.PMap;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The members of a pool by the configuration that they booted into, as rollouts count and choose
 * them. Immutable: a change returns another instance in logarithmic time.
 *
 * @param groups what rollouts count, by the configuration that the members booted into
 * @param names names of the registered members that are not terminating, by the configuration that
 *     they booted into
 * @param coming how many members are not registered yet and stay, by the configuration that they
 *     boot
 */
public record BootedMembers(
    TreePMap<String, Group> groups,
    TreePMap<String, TreePSet<String>> names,
    PMap<String, Integer> coming) {
  /** No member. */
  static final BootedMembers NONE =
      new BootedMembers(TreePMap.empty(), TreePMap.empty(), TreePMap.empty());

  /**
   * The members that booted into one configuration.
   *
   * @param proven the number of members that tenants can use and that did not boot for a repair: a
   *     boot for a repair proves nothing about a configuration
   * @param begun when the boots of the registered members began
   * @param ready available members that may have their turn, in the order of turns
   * @param outOfUse unavailable members that may have their turn, in the order of turns
   * @param busy the number of busy members that could otherwise have their turn
   * @param cordoned the number that could have their turn if another client had not cordoned them
   * @param held the number that could have their turn if nothing held their machines
   * @param passedOver members that are not chosen again until an instant, by that instant
   * @param turns UIDs of members whose turn can be taken back, by the text of the turn
   */
  record Group(
      int proven,
      TreePSet<MemberInstant> begun,
      TreePSet<TurnPlace> ready,
      TreePSet<TurnPlace> outOfUse,
      int busy,
      int cordoned,
      int held,
      TreePSet<MemberInstant> passedOver,
      TreePMap<String, TreePSet<String>> turns) {
    static final Group NONE =
        new Group(
            0,
            TreePSet.empty(),
            TreePSet.empty(),
            TreePSet.empty(),
            0,
            0,
            0,
            TreePSet.empty(),
            TreePMap.empty());

    Group replaced(Replacement<Member> member) {
      return new Group(
          proven + member.more(Group::isProven),
          member.in(begun, each -> each.bootBegunAt().map(at -> MemberInstant.of(at, each))),
          member.in(ready, each -> place(each, false)),
          member.in(outOfUse, each -> place(each, true)),
          busy + member.more(each -> each.mayHaveTurn() && each.isBusy()),
          cordoned + member.more(Member::waitsForUncordon),
          held + member.more(Member::waitsForMachine),
          member.in(passedOver, Group::passedOverUntil),
          member.inEach(turns, Group::turn));
    }

    private static boolean isProven(Member member) {
      return !member.isUnavailable()
          && member.host().boot().filter(BootRequest::isRepair).isEmpty();
    }

    private static Optional<TurnPlace> place(Member member, boolean unavailable) {
      return member.mayHaveTurn()
              && member.passedOver().isEmpty()
              && member.isUnavailable() == unavailable
          ? Optional.of(TurnPlace.of(member))
          : Optional.empty();
    }

    private static Optional<MemberInstant> passedOverUntil(Member member) {
      return member
          .passedOver()
          .filter(_ -> member.isStanding())
          .map(until -> MemberInstant.of(until, member));
    }

    private static Map<String, String> turn(Member member) {
      return member
          .revocableTurn()
          .map(turn -> Map.of(turn, member.host().id().uid()))
          .orElse(Map.of());
    }
  }

  /** With the next state of a member in place of the last one. */
  BootedMembers replaced(Replacement<Member> member) {
    TreePMap<String, Group> next = groups;
    for (Map.Entry<String, Replacement<Member>> each :
        member.by(BootedMembers::profile).entrySet()) {
      Group group = of(each.getKey()).replaced(each.getValue());
      next = group.equals(Group.NONE) ? next.minus(each.getKey()) : next.plus(each.getKey(), group);
    }
    return new BootedMembers(
        next,
        member.inEach(names, BootedMembers::name),
        member.counted(coming, BootedMembers::assigned));
  }

  private static Map<String, String> name(Member member) {
    return member.isStanding() ? Map.of(profile(member), member.host().id().name()) : Map.of();
  }

  private static Stream<String> assigned(Member member) {
    return Stream.of(member)
        .filter(each -> each.isInProgress() && !each.isTerminating())
        .map(each -> each.host().configuration());
  }

  private static String profile(Member member) {
    return member.host().report().bootedConfiguration();
  }

  /** How many registered members, not terminating, booted into this configuration. */
  public int count(String profile) {
    TreePSet<String> booted = names.get(profile);
    return booted == null ? 0 : booted.size();
  }

  /** How many registered members are not terminating. */
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

  /** How many Nodes that tenants can use booted into this configuration, and not for a repair. */
  public int proven(String profile) {
    return of(profile).proven();
  }

  /** When the last boot of a registered Node into this configuration began; empty if none did. */
  public Optional<Instant> lastBegun(String profile) {
    return of(profile).begun().descendingSet().stream().findFirst().map(MemberInstant::at);
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
    return others(profile).mapToInt(Group::busy).sum();
  }

  /** How many Nodes booted into another configuration and were cordoned by another client. */
  public int cordonedOutdated(String profile) {
    return others(profile).mapToInt(Group::cordoned).sum();
  }

  /** How many Nodes booted into another configuration and have machines that are held. */
  public int heldOutdated(String profile) {
    return others(profile).mapToInt(Group::held).sum();
  }

  /** How many Nodes that booted into another configuration are passed over at this instant. */
  public int passedOverOutdated(String profile, Instant now) {
    return others(profile).mapToInt(group -> after(group, now).size()).sum();
  }

  /** When the first Node that is passed over may be chosen again; empty if there is none. */
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
   * @param busy whether to include busy Nodes
   * @param limit the greatest number of UIDs
   */
  public List<String> firstOutdated(String profile, boolean busy, int limit) {
    return first(others(profile).map(Group::ready), busy, limit);
  }

  /** As {@link #firstOutdated}, for unavailable Nodes. */
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
   * UIDs of the Hosts of Nodes whose turn can be taken back, and is not this turn, or is for the
   * configuration that they booted into.
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
