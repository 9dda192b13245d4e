package io.nodepool.plan.repair;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.model.members.Members;
import io.nodepool.model.members.RepairPlace;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import io.nodepool.model.repair.RackRepair;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.repair.RepairState.Admitted;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.model.repair.SuspectedAlert.Verdict;
import io.nodepool.plan.disruption.UnavailableNodes;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import io.nodepool.plan.repair.WaitingRepairs.Why;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which machine of a pool is verified or repaired next (decision D33): first a machine that was
 * verified for its repair, then one with an alert in doubt, then the strongest repair of a cordoned
 * Node, at last a machine with a false alarm. A plan admits at most one machine.
 *
 * @param state the last permission, with the suspected alerts now
 * @param waiting receives the Nodes that wait
 * @param level has room for the Nodes that tenants cannot use while they are verified
 */
record NextRepair(
    RepairLimits limits,
    DailyLimits daily,
    RepairState state,
    WaitingRepairs waiting,
    UnavailableNodes level) {
  /** The most Nodes that a plan visits to find the next repair. */
  static final int LOOKED_AT = 128;

  private static final String ENDED =
      "The work of so many Nodes of the NodePool was ended for %s within 24 hours without a failed verification that only idle ones are repaired%s until that is longer ago, or a person releases it.";

  private Members members() {
    return limits.seen().members();
  }

  /** Returns the state with the published permission, or with another one when that is due. */
  RepairState plan() {
    limits.rackUntil().ifPresent(waiting::wakesAt);
    Optional<Instant> unused = limits.unusedUntil();
    unused.ifPresent(waiting::wakesAt);
    Decision decision = unused.isPresent() ? RepairLimits.BEGUN : limits.decision();
    Optional<Admitted> next =
        verified()
            .or(this::late)
            .or(() -> probe(Verdict.PENDING))
            .or(() -> usual(decision))
            .or(() -> probe(Verdict.FALSE_ALARM));
    if (next.isEmpty()) {
      return state;
    }
    Decision mayBegin = unused.isEmpty() ? mayBegin(next.get(), decision) : decision;
    if (!mayBegin.isAdmitted()) {
      waiting.wakesAt(unused.orElseGet(limits::nextDue));
      return state;
    }
    waiting.wakesAt(limits.afterThis());
    return state.withAdmitted(next).withRack(rack(next.get()));
  }

  /**
   * Whether it may begin now: without a limit if its Node is counted already, by the rate alone if
   * its rack is being repaired, else by this decision.
   */
  private Decision mayBegin(Admitted next, Decision decision) {
    boolean hasPlace = members().find(next.hostUid()).filter(MachineRepair::isUnderWay).isPresent();
    return hasPlace
        ? limits.unlessBraked(Decision.Admitted::new)
        : isLate(next) ? limits.byRate() : decision;
  }

  /** A machine that was verified for its repair: it failed, or its alert is not in doubt. */
  private Optional<Admitted> verified() {
    return Stream.concat(
            members().having(Members.Trait.ALERT_VERIFIED),
            members().having(Members.Trait.ALERT_VERIFYING).filter(this::isUnanswered))
        .filter(member ->
            member.disruption().filter(Disruption.Committed.class::isInstance).isPresent())
        .flatMap(member -> candidate(member).stream())
        .filter(each -> !isCovered(each) && !verifiesFirst(each))
        .filter(each -> each.isProved() || !state.isStopped(each.alert()))
        .filter(each -> {
          Optional<Why> held = machineHeld(each.member()).or(() -> outHeld(each));
          held.ifPresent(why -> waiting.add(each.member(), why));
          return held.isEmpty();
        })
        .findFirst()
        .map(each -> permit(each, false));
  }

  /** A machine that is verified to learn whether an alert with this verdict is true. */
  private Optional<Admitted> probe(Verdict verdict) {
    return daily.isVerifying() && members().count(Members.Trait.ALERT_VERIFYING) == 0
        ? state.suspects().stream()
            .filter(each -> each.verdict() == verdict)
            .sorted(
                Comparator.comparing(SuspectedAlert::since).thenComparing(SuspectedAlert::alert))
            .flatMap(each -> idleProbe(each).or(() -> busyProbe(each)).stream())
            .findFirst()
        : Optional.empty();
  }

  private Optional<Admitted> idleProbe(SuspectedAlert suspect) {
    return members().byFault().verifiable().of(suspect.alert()).stream()
        .findFirst()
        .filter(place ->
            suspect.isFalseAlarm()
                ? waiting.isDue(daily.until(place.verifiedAt()))
                : !place.isAnswered() || place.verifiedAt().isBefore(suspect.since()))
        .filter(place -> !place.isAvailable() || level.hasRoom())
        .flatMap(place -> members().find(place.uid()))
        .map(member -> permit(member, suspect.alert(), true, false));
  }

  /** Probes a busy machine only if the grade of the alert, or the pool, permits that. */
  private Optional<Admitted> busyProbe(SuspectedAlert suspect) {
    return suspect.isFalseAlarm() || !daily.mayProbeBusy(suspect.alert())
        ? Optional.empty()
        : limits.able().of(suspect.alert()).stream()
            .limit(LOOKED_AT)
            .filter(place -> place.busy() && !place.ending())
            .map(this::member)
            .filter(member -> !member.isMachineHeld())
            .filter(member -> waiting.isDue(limits.dueAt(member, suspect.alert())))
            .findFirst()
            .map(member -> permit(member, suspect.alert(), true, true));
  }

  /**
   * The strongest repair that may be carried out, for an alert that is not held. A Node that did
   * not use its permission comes last.
   */
  private Optional<Admitted> usual(Decision decision) {
    List<RepairCandidate> open =
        limits
            .able()
            .first(state::isHeld, LOOKED_AT)
            .filter(place -> !place.ending())
            .sorted(
                Comparator.comparing(this::hadLastPermission)
                    .thenComparing(Comparator.naturalOrder()))
            .flatMap(place -> candidate(member(place)).stream())
            .filter(this::isOpen)
            .toList();
    Optional<Admitted> next = Optional.empty();
    for (RepairCandidate each : open) {
      Optional<Why> held = held(each);
      if (held.isEmpty() && next.isEmpty()) {
        next = Optional.of(permit(each, verifiesFirst(each)));
        held = decision instanceof Decision.Held why ? Optional.of(limits.why(why)) : held;
      } else if (held.isEmpty()) {
        held = Optional.of(RepairLimits.RATE);
      }
      held.ifPresent(why -> waiting.add(each.member(), why));
    }
    waiting.add(limits.able().count(state::isHeld) - LOOKED_AT, Stream.empty(), RepairLimits.RATE);
    return next;
  }

  private boolean hadLastPermission(RepairPlace place) {
    return state.admitted().filter(each -> each.hostUid().equals(place.uid())).isPresent();
  }

  /** A Node that is cordoned for repairs, and the repair that comes next. */
  private record RepairCandidate(Member member, DisruptionCause.Repaired repair) {
    private Host host() {
      return member.host();
    }

    private String alert() {
      return repair.alert();
    }

    /** Whether its machine failed a verification for the alert. */
    private boolean isProved() {
      return host().isProvedFaulty(alert());
    }
  }

  private Optional<RepairCandidate> candidate(Member member) {
    return MachineRepair.next(member, limits.keepsWork())
        .map(repair -> new RepairCandidate(member, repair));
  }

  /** What holds this repair, whatever else is repaired; empty if nothing does. */
  private Optional<Why> held(RepairCandidate candidate) {
    if (candidate.member().isMachineHeld()) {
      return machineHeld(candidate.member());
    }
    if (!isCordonedLongEnough(candidate)) {
      return Optional.of(RepairLimits.YOUNG);
    }
    boolean ends = candidate.member().isBusy() && !candidate.isProved();
    if (ends && !daily.mayEndWorkFor(candidate.alert())) {
      daily.changesAt().ifPresent(waiting::wakesAt);
      String text =
          daily.mayEndWork()
              ? ENDED.formatted(candidate.alert(), " for it")
              : ENDED.formatted("alerts", "");
      return Optional.of(
          Why.held(RepairsHeldReason.TOO_MUCH_WORK_ENDED, text + daily.ignoredRelease()));
    }
    return verifiesFirst(candidate) && !ends ? Optional.empty() : outHeld(candidate);
  }

  private static Optional<Why> machineHeld(Member member) {
    return Optional.of(member).filter(Member::isMachineHeld).map(WaitingRepairs::ofMachine);
  }

  private Optional<Why> outHeld(RepairCandidate candidate) {
    Optional<Why> held =
        candidate.repair().grade().takesOut()
            ? daily.outHeld(candidate.member(), candidate.isProved())
            : Optional.empty();
    if (held.isPresent()) {
      daily.changesAt().ifPresent(waiting::wakesAt);
    }
    return held;
  }

  /** Whether a machine is verified before it is repaired for this. */
  private boolean verifiesFirst(RepairCandidate candidate) {
    Member member = candidate.member();
    return daily.isVerifying()
        && state.verifiesFirst(
            candidate.alert(),
            candidate.repair().grade().takesOut(),
            member.host(),
            member.node().orElseThrow(),
            member.disruption().orElseThrow().sequence());
  }

  /**
   * Whether the Node is neither being verified nor repaired, and has no permission with its rack.
   */
  private boolean isOpen(RepairCandidate candidate) {
    Member member = candidate.member();
    return member.disruption().filter(Disruption.Admitted.class::isInstance).isPresent()
        && !MachineRepair.isVerifying(member)
        && !MachineRepair.isUnderWay(member)
        && !isCovered(candidate);
  }

  private boolean isCovered(RepairCandidate candidate) {
    return state
        .rack()
        .filter(rack -> rack.isFor(candidate.alert(), candidate.host()))
        .filter(rack -> limits.isCovered(rack, candidate.member()))
        .isPresent();
  }

  /** Whether its verification was requested so long ago that no answer is expected. */
  private boolean isUnanswered(Member member) {
    return member
        .host()
        .alertVerification()
        .filter(
            request -> waiting.isDue(request.at().plus(limits.settings().reboot().wholeDeadline())))
        .isPresent();
  }

  /**
   * A Node that the permission of its rack, which is being repaired, does not cover: it was
   * cordoned later than others, or has only now become idle.
   */
  private Optional<Admitted> late() {
    return state
        .rack()
        .filter(rack -> !rack.isOutage() && !state.isHeld(rack.alert()))
        .flatMap(rack ->
            rack.cordoned(members(), limits.keepsWork())
                .flatMap(member -> candidate(member).stream())
                .filter(this::isOpen)
                .filter(each -> !each.member().isMachineHeld())
                .filter(this::isCordonedLongEnough)
                .findFirst())
        .map(each -> permit(each, verifiesFirst(each)));
  }

  private boolean isLate(Admitted next) {
    return state
        .rack()
        .flatMap(rack ->
            members()
                .find(next.hostUid())
                .filter(member -> rack.isFor(next.alert(), member.host())))
        .isPresent();
  }

  /** The rack to repair together from now on, if this permission begins or continues one. */
  private Optional<RackRepair> rack(Admitted next) {
    if (isLate(next)) {
      return state.rack().map(each -> each.again(limits.now()));
    }
    Optional<Member> member = members().find(next.hostUid());
    return member
        .filter(each -> level.isInRacks() && mayTogether(each, next.alert()))
        .map(each -> RackRepair.of(each.host().machine().rack(), next.alert(), limits.now()))
        .or(state::rack);
  }

  /**
   * Whether the Nodes of its rack are repaired together: the alert is proved, or a person released
   * it.
   */
  private boolean mayTogether(Member member, String alert) {
    if (!limits.isWithoutRack()) {
      return false;
    }
    List<Member> rack = RackRepair.in(members(), member.host().machine().rack()).toList();
    boolean isProved =
        state.suspect(alert).isPresent()
            ? !state.isHeld(alert)
            : rack.stream().anyMatch(each -> each.host().isProvedFaulty(alert));
    return (daily.isVerifying() ? isProved : daily.isReleased(alert))
        && RackRepair.isOfRack(rack, alert)
        && daily.mayRepairRack(
            candidate(member).filter(each -> each.repair().grade().takesOut()).isPresent());
  }

  /** Whether the first minute of its cordon is over; if not, the plan wakes when it is. */
  private boolean isCordonedLongEnough(RepairCandidate candidate) {
    return waiting.isDue(limits.dueAt(candidate.member(), candidate.alert()));
  }

  private Member member(RepairPlace place) {
    return members().find(place.uid()).orElseThrow();
  }

  private Admitted permit(RepairCandidate candidate, boolean verifies) {
    Member member = candidate.member();
    return permit(member, candidate.alert(), verifies, member.isBusy());
  }

  private Admitted permit(Member member, String alert, boolean verifies, boolean endsWork) {
    HostId host = member.host().id();
    return new Admitted(
        host.name(),
        host.uid(),
        member.node().map(Admitted::sequence).orElse(1),
        alert,
        verifies,
        endsWork,
        limits.now().truncatedTo(ChronoUnit.MILLIS));
  }
}
