package io.nodepool.plan.rollout;

import io.nodepool.model.members.BootedMembers;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.TurnPlace;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.UnavailableNodes;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.cause.RolloutCause;
import io.nodepool.plan.node.NodeRecord;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which Nodes get their turn in a rollout, and which Nodes lose it.
 *
 * @param tries the Nodes that have no turn any more
 */
record RolloutTurns(PoolSnapshot seen, RolloutCause turn, RolloutTries tries, Instant now) {
  private static final Comparator<Member> ORDER = Comparator.comparing(TurnPlace::of);

  /**
   * The Nodes that begin, and those that cannot yet.
   *
   * @param busy how many wait for the end of their work
   * @param passedOver how many are passed over for some time
   * @param wakeup when the first of these may be chosen again
   */
  record Choice(
      List<PlannedAction> plannedActions, int busy, int passedOver, Optional<Instant> wakeup) {
    static final Choice NONE = new Choice(List.of(), 0, 0, Optional.empty());
  }

  /** Takes back every turn that is not committed. */
  List<PlannedAction> withdrawAll(String why) {
    return revocable().map(member -> withdraw(member, why)).toList();
  }

  /**
   * Takes back the turns that are not committed and no longer wanted. It also takes back one turn
   * for each Node that is unavailable beyond the level, by causes that came later, and for each
   * Node too many in the canary.
   *
   * @param surplus the number of Nodes too many in the canary; not used for racks
   */
  List<PlannedAction> withdrawLost(UnavailableNodes level, int surplus) {
    List<PlannedAction> plannedActions = new ArrayList<>();
    seen.members()
        .ofHosts(booted().turnsBeside(turn.profile(), turn.reference()))
        .sorted(ORDER.reversed())
        .forEach(member -> plannedActions.add(withdraw(member, whyLost(member))));
    Map<Member, String> others = new LinkedHashMap<>();
    if (surplus > 0 && !level.isInRacks()) {
      wanted()
          .limit(surplus)
          .forEach(member -> others.put(member, "the canary of its rollout has enough nodes"));
    }
    if (level.surplus() > 0) {
      wanted()
          .collect(Collectors.groupingBy(level::unit, TreeMap::new, Collectors.toList()))
          .descendingMap()
          .values()
          .stream()
          .filter(unit -> isFreed(unit, level))
          .limit(level.surplus())
          .flatMap(List::stream)
          .forEach(member -> others.putIfAbsent(member, "too many nodes are unavailable"));
    }
    others.forEach((member, why) -> plannedActions.add(withdraw(member, why)));
    return plannedActions;
  }

  /** The members with a turn that is wanted and can be taken back, the last one first. */
  private Stream<Member> wanted() {
    return revocable().filter(this::isWanted).sorted(ORDER.reversed());
  }

  private String whyLost(Member member) {
    return isUpToDate(member) ? "it is up to date" : "its rollout changed";
  }

  /** Whether its turn, which can be taken back, is still wanted. */
  private boolean isWanted(Member member) {
    return !isUpToDate(member)
        && member.revocableTurn().filter(turn.reference()::equals).isPresent();
  }

  /** Whether the Node, or its rack, is available once the turns of these are taken back. */
  private boolean isFreed(List<Member> unit, UnavailableNodes level) {
    return unit.stream().allMatch(RolloutTurns::isFreed) && (!level.isInRacks() || isAlone(unit));
  }

  /** Whether no other Node of the rack is unavailable. */
  private boolean isAlone(List<Member> unit) {
    String rack = unit.getFirst().host().machine().rack();
    return seen.members()
        .ofHosts(seen.members().byRack().uids(rack))
        .filter(Member::isUnavailable)
        .allMatch(unit::contains);
  }

  private static boolean isFreed(Member member) {
    return admitted(member)
        .filter(admitted ->
            admitted.cordon() == Disruption.Cordon.OURS
                && admitted.causes().stream().allMatch(cause -> cause.what().turn().isPresent()))
        .filter(_ -> member.node().orElseThrow().ready() && !member.isTerminating())
        .isPresent();
  }

  /** The members whose turn is not committed and can be taken back. */
  private Stream<Member> revocable() {
    return seen.members().having(Members.Trait.TURN_REVOCABLE);
  }

  private static Optional<Disruption.Admitted> admitted(Member member) {
    return member.disruption().flatMap(Disruption::admission);
  }

  private PlannedAction withdraw(Member member, String why) {
    return new NodeRecord(member.node().orElseThrow(), seen.pool().id())
        .withdrawTurn(admitted(member).orElseThrow(), now, why);
  }

  private boolean isUpToDate(Member member) {
    return member.host().report().bootedConfiguration().equals(turn.profile());
  }

  private boolean isFree(Member member) {
    return !isUpToDate(member) && stand(member) == Rollout.Stand.NEXT;
  }

  /** The position in the rollout of a Node that is not up to date. */
  Rollout.Stand stand(Member member) {
    if (member.isRollingOut()) {
      return Rollout.Stand.UNDER_WAY;
    }
    if (!member.mayHaveTurn()) {
      return member.waitsForUncordon()
          ? Rollout.Stand.CORDONED
          : member.waitsForMachine() ? Rollout.Stand.HELD : Rollout.Stand.UNAVAILABLE;
    }
    if (tries.contains(member)) {
      return Rollout.Stand.TRIED;
    }
    if (member.passedOverUntil(now).isPresent()) {
      return Rollout.Stand.PASSED_OVER;
    }
    return member.isBusy() && !turn.evicts() ? Rollout.Stand.BUSY : Rollout.Stand.NEXT;
  }

  /** The Nodes that are not up to date, in their order. */
  List<Rollout.Turn> all() {
    return seen.members().stream()
        .filter(Member::isCurrent)
        .filter(member -> !isUpToDate(member))
        .sorted(ORDER)
        .map(member -> new Rollout.Turn(member, stand(member)))
        .toList();
  }

  /**
   * Gives Nodes their turn within the level.
   *
   * @param canary how many Nodes may begin for the canary, if it is not over
   */
  Choice admit(DisruptionAdmission plan, UnavailableNodes level, OptionalInt canary) {
    int room = canary.orElse(Integer.MAX_VALUE);
    if (room == 0) {
      return Choice.NONE;
    }
    DisruptionAdmission admission = plan.within(level);
    List<Member> admitted = new ArrayList<>();
    if (level.isInRacks()) {
      RolloutRacks racks = new RolloutRacks(seen.members(), turn, tries, this::isFree);
      admitted.addAll(racks.choose(level, admission, canary));
    } else {
      if (canary.isEmpty()) {
        admitted.addAll(outOfUse(admission, level));
      }
      admitted.addAll(available(admission, level, room));
    }
    return new Choice(
        admitted.stream().map(this::demand).toList(),
        turn.evicts() ? 0 : booted().busyOutdated(turn.profile()),
        booted().passedOverOutdated(turn.profile(), now),
        booted().nextPassedOver(turn.profile(), now));
  }

  /**
   * Nodes that are unavailable already, which take no place. At most as many Nodes as may be
   * unavailable have their turn at once. So failures end the rollout after few Nodes, and Nodes
   * that become Ready meanwhile do not exceed the limit.
   */
  private List<Member> outOfUse(DisruptionAdmission admission, UnavailableNodes level) {
    int turns = seen.members().count(Members.Trait.TURN_UNAVAILABLE);
    int most = Math.min(level.most() - turns, DisruptionAdmission.MOST_AT_ONCE);
    return most <= 0
        ? List.of()
        : free(booted().firstOutOfUse(turn.profile(), turn.evicts(), tries.count() + most), most)
            .filter(member -> admission.admit(turn, member, true).isAdmitted())
            .toList();
  }

  private List<Member> available(
      DisruptionAdmission admission, UnavailableNodes level, int canary) {
    int most = Math.min(canary, DisruptionAdmission.MOST_AT_ONCE);
    return !level.hasRoom()
        ? List.of()
        : free(booted().firstOutdated(turn.profile(), turn.evicts(), tries.count() + most), most)
            .takeWhile(_ -> level.hasRoom())
            .filter(member -> admission.admit(turn, member, false).isAdmitted())
            .toList();
  }

  /** The first of these that may have their turn now. */
  private Stream<Member> free(List<String> uids, int most) {
    return seen.members().ofHosts(uids).filter(this::isFree).limit(most);
  }

  private BootedMembers booted() {
    return seen.members().byConfiguration();
  }

  private PlannedAction demand(Member member) {
    return new NodeRecord(member.node().orElseThrow(), seen.pool().id()).demand(turn, now);
  }
}
