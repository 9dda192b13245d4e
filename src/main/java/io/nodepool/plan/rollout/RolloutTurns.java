package io.nodepool.plan.rollout;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Members;
import io.nodepool.model.pool.PoolSnapshot;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.DisruptionAdmission;
import io.nodepool.plan.disruption.RolloutTurn;
import io.nodepool.plan.disruption.UnavailableNodes;
import io.nodepool.plan.node.DisruptionChange;
import io.nodepool.vocabulary.DisruptionCause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which Nodes have their turn in a rollout, and of which it is taken back. */
final class RolloutTurns {
  /**
   * Idle Nodes first, then those whose writes do not fail, then by rack and slot. The UID makes the
   * order deterministic.
   */
  private static final Comparator<Member> ORDER =
      Comparator.comparing(Member::isBusy)
          .thenComparing(member -> member.trouble().isPresent())
          .thenComparing(member -> member.host().machine().rack())
          .thenComparingInt(member -> member.host().machine().slot())
          .thenComparing(member -> member.host().id().uid());

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

    /** What is waited for. */
    List<String> waits() {
      return Stream.concat(
              busy == 0 ? Stream.of() : Stream.of(busy + " busy"),
              passedOver == 0 ? Stream.of() : Stream.of(passedOver + " passed over"))
          .toList();
    }
  }

  private final PoolSnapshot seen;
  private final RolloutTurn turn;
  private final Instant now;

  RolloutTurns(PoolSnapshot seen, RolloutTurn turn, Instant now) {
    this.seen = seen;
    this.turn = turn;
    this.now = now;
  }

  /** Takes back every turn that is not committed. */
  List<PlannedAction> withdrawAll(String why) {
    return revocable().map(member -> withdraw(member, why)).toList();
  }

  /**
   * Takes back the turns that are not committed and no longer wanted, and as many others as Nodes
   * are unavailable beyond the level: for other causes, since they began.
   */
  List<PlannedAction> withdrawLost(UnavailableNodes level) {
    List<PlannedAction> plannedActions = new ArrayList<>();
    List<Member> standing = new ArrayList<>();
    revocable()
        .sorted(ORDER.reversed())
        .forEach(member -> {
          Optional<String> why = lost(member);
          why.ifPresentOrElse(
              text -> plannedActions.add(withdraw(member, text)), () -> standing.add(member));
        });
    if (level.surplus() > 0) {
      standing.stream()
          .collect(Collectors.groupingBy(level::unit, TreeMap::new, Collectors.toList()))
          .descendingMap()
          .values()
          .stream()
          .filter(unit -> isFreed(unit, level))
          .limit(level.surplus())
          .flatMap(List::stream)
          .forEach(
              member -> plannedActions.add(withdraw(member, "too many nodes are unavailable")));
    }
    return plannedActions;
  }

  private Optional<String> lost(Member member) {
    if (isUpToDate(member)) {
      return Optional.of("it is up to date");
    }
    boolean wanted =
        admitted(member).stream()
            .flatMap(admitted -> admitted.causes().stream())
            .flatMap(cause -> RolloutTurn.of(cause).stream())
            .allMatch(turn::equals);
    return wanted ? Optional.empty() : Optional.of("its rollout changed");
  }

  /** Whether the Node, or its rack, is available once the turns of these are taken back. */
  private boolean isFreed(List<Member> unit, UnavailableNodes level) {
    return unit.stream().allMatch(RolloutTurns::isFreed)
        && seen.members()
            .having(Members.Trait.UNAVAILABLE)
            .filter(member -> level.unit(member).equals(level.unit(unit.getFirst())))
            .allMatch(unit::contains);
  }

  private static boolean isFreed(Member member) {
    return admitted(member)
        .filter(admitted ->
            admitted.cordon() == Disruption.Cordon.OURS
                && admitted.causes().stream()
                    .allMatch(cause -> cause.what() == DisruptionCause.ROLLOUT))
        .filter(_ -> member.node().orElseThrow().ready() && !member.isTerminating())
        .isPresent();
  }

  /** The members whose turn is not committed and can be taken back. */
  private Stream<Member> revocable() {
    return seen.members()
        .having(Members.Trait.ROLLING_OUT)
        .filter(member -> !member.isFrozen() && admitted(member).isPresent());
  }

  private static Optional<Disruption.Admitted> admitted(Member member) {
    return member
        .disruption()
        .filter(Disruption.Admitted.class::isInstance)
        .map(Disruption.Admitted.class::cast);
  }

  private PlannedAction withdraw(Member member, String why) {
    return new DisruptionChange(member.node().orElseThrow(), seen.pool().id())
        .withdraw(admitted(member).orElseThrow(), DisruptionCause.ROLLOUT, now, why);
  }

  private boolean isUpToDate(Member member) {
    return member.host().report().bootedConfiguration().equals(turn.profile());
  }

  /** Whether it has to boot into the configuration. */
  private boolean isOutdated(Member member) {
    return member.isCurrent() && !member.isTerminating() && !isUpToDate(member);
  }

  /** Whether its Node may have its turn, if it is idle and not passed over. */
  private boolean isCandidate(Member member) {
    return isOutdated(member)
        && !member.isFrozen()
        && !member.cordoning()
        && member.host().is(HostPhase.RUNNING)
        && member.host().power() == Host.Power.ON
        && member.disruption().isEmpty();
  }

  private boolean isFree(Member member) {
    return isCandidate(member)
        && (turn.evicts() || !member.isBusy())
        && member.passedOverUntil(now).isEmpty();
  }

  /**
   * Gives Nodes their turn within the level.
   *
   * @param room how many Nodes may begin for the canary
   */
  Choice begin(UnavailableNodes level, int room) {
    if (room == 0 || !(level.hasRoom() || level.isInRacks())) {
      return Choice.NONE;
    }
    List<Member> outdated = seen.members().stream().filter(this::isOutdated).toList();
    DisruptionAdmission admission = DisruptionAdmission.within(level);
    List<Member> begun =
        level.isInRacks()
            ? new RolloutRacks(seen.members(), this::isOutdated, this::isFree)
                .choose(outdated, level, admission, room)
            : outdated.stream()
                .filter(this::isFree)
                .sorted(ORDER)
                .limit(room)
                .filter(member -> admission.admits(member, false))
                .toList();
    List<Member> passed =
        outdated.stream().filter(member -> member.passedOverUntil(now).isPresent()).toList();
    return new Choice(
        begun.stream().map(this::demand).toList(),
        turn.evicts()
            ? 0
            : (int) outdated.stream().filter(this::isCandidate).filter(Member::isBusy).count(),
        passed.size(),
        passed.stream()
            .flatMap(member -> member.passedOverUntil(now).stream())
            .min(Instant::compareTo));
  }

  /** The Nodes in the order in which they have their turns. */
  static Stream<Member> ordered(Collection<Member> members) {
    return members.stream().sorted(ORDER);
  }

  private PlannedAction demand(Member member) {
    return new DisruptionChange(member.node().orElseThrow(), seen.pool().id())
        .demand(DisruptionCause.ROLLOUT, turn.reference(), now);
  }
}
