package io.nodepool.model.members;

import io.nodepool.fleet.BootRequest;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.TurnPlace;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.pcollections.PMap;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * The members of a pool by the rack of their machines, as rollouts and repairs of racks count and
 * choose them. Immutable: a change returns another instance in logarithmic time.
 *
 * @param racks the racks by name
 * @param sizes the number of racks with each number of current members, without racks that have
 *     none
 * @param held names of racks by their number of members
 * @param unavailable names of racks with members that tenants cannot use
 * @param uneven names of racks in which Nodes have their turn, or booted into different
 *     configurations
 * @param ready the other racks whose Nodes may all have their turn, by the configuration that they
 *     booted into
 */
public record RackMembers(
    TreePMap<String, Rack> racks,
    PMap<Integer, Integer> sizes,
    TreePMap<Integer, TreePSet<String>> held,
    TreePSet<String> unavailable,
    TreePSet<String> uneven,
    TreePMap<String, TreePSet<RackPlace>> ready) {
  /** No member. */
  static final RackMembers NONE =
      new RackMembers(
          TreePMap.empty(),
          TreePMap.empty(),
          TreePMap.empty(),
          TreePSet.empty(),
          TreePSet.empty(),
          TreePMap.empty());

  /** A rack whose Nodes may all have their turn, in the order of a rollout. */
  record RackPlace(int busy, String name) implements Comparable<RackPlace> {
    @Override
    public int compareTo(RackPlace other) {
      int first = Integer.compare(busy, other.busy);
      return first == 0 ? name.compareTo(other.name) : first;
    }
  }

  /**
   * One rack.
   *
   * @param uids UIDs of the Hosts
   * @param current how many members are current
   * @param unavailable how many members tenants cannot use
   * @param underRepair how many are repaired, or leave since their machines do not run any more
   * @param rollingOut how many registered members, not terminating, have their turn
   * @param standing how many registered members are not terminating, by the configuration that they
   *     booted into
   * @param rebooted how many of these were rebooted since their delivery, not for a repair, by the
   *     same configuration
   * @param ready members that may have their turn, in the order of turns, by the configuration that
   *     they booted into
   */
  record Rack(
      TreePSet<String> uids,
      int current,
      int unavailable,
      int underRepair,
      int rollingOut,
      PMap<String, Integer> standing,
      PMap<String, Integer> rebooted,
      TreePMap<String, TreePSet<TurnPlace>> ready) {
    static final Rack NONE =
        new Rack(
            TreePSet.empty(), 0, 0, 0, 0, TreePMap.empty(), TreePMap.empty(), TreePMap.empty());

    Rack replaced(Replacement<Member> member) {
      return new Rack(
          member.in(uids, each -> Optional.of(each.host().id().uid())),
          current + member.more(Member::isCurrent),
          unavailable + member.more(Member::isUnavailable),
          underRepair + member.more(MachineRepair::isUnderWay),
          rollingOut + member.more(each -> each.isStanding() && each.isRollingOut()),
          member.counted(standing, Rack::standingOn),
          member.counted(rebooted, each -> standingOn(each).filter(_ -> isRebooted(each))),
          member.inEach(ready, Rack::turn));
    }

    private static Stream<String> standingOn(Member member) {
      return Stream.of(member)
          .filter(Member::isStanding)
          .map(each -> each.host().report().bootedConfiguration());
    }

    private static boolean isRebooted(Member member) {
      return member.host().isRebooted()
          && member.host().boot().filter(BootRequest::isRepair).isEmpty();
    }

    private static Map<String, TurnPlace> turn(Member member) {
      return member.mayHaveTurn() && member.passedOver().isEmpty()
          ? Map.of(member.host().report().bootedConfiguration(), TurnPlace.of(member))
          : Map.of();
    }

    /** Whether its Nodes booted into different configurations. */
    boolean isMixed() {
      return standing.size() > 1;
    }

    /** Whether all registered Nodes that are not terminating may have their turn. */
    boolean isReady() {
      return !ready.isEmpty()
          && ready.values().stream().mapToInt(Set::size).sum()
              == standing.values().stream().mapToInt(count -> count).sum();
    }

    int busy() {
      return (int) ready.values().stream().flatMap(Set::stream).filter(TurnPlace::busy).count();
    }

    /** Whether Nodes have their turn, or booted into different configurations. */
    boolean isUneven() {
      return rollingOut > 0 || isMixed();
    }

    /** Its place among the ready racks of one configuration; empty if it has none. */
    Map<String, RackPlace> place(String name) {
      return isReady() && !isMixed()
          ? Map.of(standing.keySet().iterator().next(), new RackPlace(busy(), name))
          : Map.of();
    }
  }

  /** With the next state of a member in place of the last one. */
  RackMembers replaced(Replacement<Member> member) {
    RackMembers next = this;
    for (Map.Entry<String, Replacement<Member>> each : member.by(RackMembers::name).entrySet()) {
      Rack last = rack(each.getKey());
      next = next.changed(each.getKey(), last, last.replaced(each.getValue()));
    }
    return next;
  }

  private RackMembers changed(String name, Rack before, Rack after) {
    Replacement<Rack> rack = new Replacement<>(Optional.of(before), Optional.of(after));
    return new RackMembers(
        after.equals(Rack.NONE) ? racks.minus(name) : racks.plus(name, after),
        rack.counted(sizes, each -> Stream.of(each.current()).filter(size -> size > 0)),
        rack.inEach(
            held, each -> each.uids().isEmpty() ? Map.of() : Map.of(each.uids().size(), name)),
        rack.in(unavailable, each -> Optional.of(name).filter(_ -> each.unavailable() > 0)),
        rack.in(uneven, each -> Optional.of(name).filter(_ -> each.isUneven())),
        rack.inEach(ready, each -> each.place(name)));
  }

  private static String name(Member member) {
    return member.host().machine().rack();
  }

  private Rack rack(String name) {
    return racks.getOrDefault(name, Rack.NONE);
  }

  /** The number of racks with current members. */
  public int current() {
    return currentWith(0);
  }

  /** The number of racks with at least this number of current members. */
  public int currentWith(int members) {
    return sizes.entrySet().stream()
        .filter(each -> each.getKey() >= members)
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  /** Names of the racks with fewer members than this, by their number of members. */
  public SortedMap<Integer, ? extends Set<String>> heldBelow(int members) {
    return held.headMap(members);
  }

  /** UIDs of the Hosts of all members of a rack. */
  public Collection<String> uids(String rack) {
    return rack(rack).uids();
  }

  /** How many members in a rack are repaired, or leave since their machines do not run any more. */
  public int underRepair(String rack) {
    return rack(rack).underRepair();
  }

  /**
   * Names of the racks that a rollout of this configuration began: Nodes have their turn, or some
   * were rebooted into it and others were not. A Node that was delivered with it in place of
   * another, or booted it for a repair, begins no rack.
   */
  public List<String> begun(String profile) {
    return uneven.stream().filter(name -> isBegun(rack(name), profile)).toList();
  }

  private static boolean isBegun(Rack rack, String profile) {
    return rack.rollingOut() > 0 || (rack.isMixed() && rack.rebooted().containsKey(profile));
  }

  /**
   * Whether a rollout of this configuration may begin this rack, because all of its Nodes may have
   * their turn.
   *
   * @param busy whether a rack with busy Nodes may begin
   */
  public boolean mayBegin(String name, String profile, boolean busy) {
    Rack rack = rack(name);
    return rack.isReady()
        && !isBegun(rack, profile)
        && rack.standing().keySet().stream().anyMatch(each -> !each.equals(profile))
        && (busy || rack.busy() == 0);
  }

  /**
   * UIDs of the Hosts of those Nodes of a rack that booted into another configuration and may have
   * their turn, in their order.
   *
   * @param busy whether to include busy Nodes
   */
  public List<String> outdated(String rack, String profile, boolean busy) {
    return rack(rack).ready().entrySet().stream()
        .filter(each -> !each.getKey().equals(profile))
        .flatMap(each -> each.getValue().stream().takeWhile(place -> busy || !place.busy()))
        .sorted()
        .map(TurnPlace::uid)
        .toList();
  }

  /**
   * Names of the racks that a rollout of this configuration may begin, because all of their Nodes
   * may have their turn: racks with the fewest busy Nodes first.
   *
   * @param busy whether to include racks with busy Nodes
   * @param limit the greatest number of names
   */
  public List<String> firstOutdated(String profile, boolean busy, int limit) {
    Stream<RackPlace> even =
        ready.entrySet().stream()
            .filter(each -> !each.getKey().equals(profile))
            .flatMap(each ->
                each.getValue().stream()
                    .takeWhile(place -> busy || place.busy() == 0)
                    .limit(limit));
    Stream<RackPlace> mixed =
        uneven.stream()
            .filter(name -> mayBegin(name, profile, busy))
            .map(name -> new RackPlace(rack(name).busy(), name));
    return Stream.concat(even, mixed).collect(Collectors.toCollection(TreeSet::new)).stream()
        .limit(limit)
        .map(RackPlace::name)
        .toList();
  }
}
