package io.nodepool.plan.repair;

import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.health.NeededRepairs;
import io.nodepool.health.SignalKey;
import io.nodepool.model.members.FaultyMembers;
import io.nodepool.model.members.Members;
import io.nodepool.model.members.NamedSince;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import io.nodepool.model.repair.RepairState;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.RepairAttempts;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import io.nodepool.plan.repair.WaitingRepairs.Why;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which component of a machine is repaired next while the machine runs, such as its DPU (decisions
 * D75 and D310). The Node stays in use, so neither the level nor the number in flight counts it.
 * Its repair waits for the rate of the pool's repairs, so that an alert that is wrong about many
 * machines is in doubt before more than a few are repaired.
 *
 * @param state the state with the suspected alerts
 * @param waiting receives the Nodes that wait
 */
record ComponentRepairs(RepairLimits limits, RepairState state, WaitingRepairs waiting) {
  /** How long a fleet may take to answer before the next machine is repaired. */
  private static final Duration ANSWER = Duration.ofHours(1);

  /**
   * The next repair.
   *
   * @param admitted its permission, which the pool records
   * @param plannedAction its request; empty until the permission is recorded, so that the next plan
   *     counts it
   */
  record Begun(RepairState.Admitted admitted, Optional<PlannedAction> plannedAction) {}

  private FaultyMembers.Components components() {
    return limits.seen().members().byFault().components();
  }

  /** The machines whose component was repaired as often as is allowed. */
  Stream<Member> tried(int limit) {
    return components()
        .tried()
        .first(state::isHeld, limit)
        .filter(place -> isDue(place) && !beginsAnew(place))
        .map(this::member);
  }

  /**
   * The repair that begins now; empty if none does.
   *
   * @param mayBegin whether nothing else begins in this plan
   */
  Optional<Begun> plan(boolean mayBegin) {
    List<NamedSince> next = next();
    next.stream()
        .map(this::member)
        .filter(Member::isMachineHeld)
        .forEach(member -> waiting.add(member, WaitingRepairs.ofMachine(member)));
    List<NamedSince> due =
        next.stream()
            .filter(place -> !member(place).isMachineHeld())
            .filter(place -> !isBehindAnother(place) && isDue(place))
            .toList();
    if (due.isEmpty()) {
      return Optional.empty();
    }
    int young = next.size() - due.size();
    int count = components().repairable().count(state::isHeld) - young;
    Optional<NamedSince> admitted = due.stream().filter(this::isAdmitted).findFirst();
    Decision decision =
        admitted.isPresent()
            ? limits.unlessBraked(Decision.Admitted::new)
            : mayBegin ? limits.byRate() : RepairLimits.BEGUN;
    return switch (decision) {
      case Decision.Held held -> {
        wait(count, due, limits.why(held));
        waiting.wakesAt(limits.nextDue());
        yield Optional.empty();
      }
      case Decision.Admitted _ when !isOffered() -> {
        wait(count, due, notOffered(needed(member(due.getFirst())).alert()));
        yield Optional.empty();
      }
      case Decision.Admitted _ -> {
        NamedSince first = admitted.orElseGet(due::getFirst);
        wait(
            count - 1,
            due.stream().filter(each -> !each.equals(first)).toList(),
            RepairLimits.RATE);
        waiting.wakesAt(limits.afterThis());
        yield Optional.of(begun(member(first), admitted.isPresent()));
      }
    };
  }

  /** Whether the pool has recorded that this repair may begin, and it has not begun. */
  private boolean isAdmitted(NamedSince place) {
    Member member = member(place);
    String alert = needed(member).alert();
    return limits
        .unexpired()
        .filter(each -> each.isFor(place.hostUid(), 0, alert))
        .filter(each ->
            member.host().repair(alert).filter(last -> !last.at().isBefore(each.at())).isEmpty())
        .isPresent();
  }

  /** The machines that may be next: those that waited longest, and some that were tried before. */
  private List<NamedSince> next() {
    return Stream.of(
            proved(),
            askedBefore(),
            components().repairable().first(state::isHeld, RepairState.NAMED + 1),
            components().tried().first(state::isHeld, RepairState.NAMED).filter(this::beginsAnew))
        .flatMap(each -> each)
        .distinct()
        .toList();
  }

  /** The machines that did not pass a verification for an alert that is in doubt. */
  private Stream<NamedSince> proved() {
    return limits
        .seen()
        .members()
        .having(Members.Trait.ALERT_VERIFIED)
        .flatMap(member -> proved(member).stream())
        .limit(RepairState.NAMED);
  }

  private Optional<NamedSince> proved(Member member) {
    return member
        .findings()
        .needed()
        .component()
        .map(NeededRepairs.Needed::alert)
        .filter(alert -> state.isHeld(alert) && member.host().isProvedFaulty(alert))
        .flatMap(alert ->
            components().repairable().of(alert).stream()
                .filter(place -> place.hostUid().equals(member.host().id().uid()))
                .findFirst());
  }

  /** The machines whose last attempt has not failed, and that may be due for another one. */
  private Stream<NamedSince> askedBefore() {
    return components().asked().byName().entrySet().stream()
        .filter(each -> !state.isHeld(each.getKey()))
        .flatMap(each -> each.getValue().stream().limit(RepairState.NAMED))
        .map(this::member)
        .flatMap(member ->
            MachineRepair.ofComponent(member).stream()
                .flatMap(needed -> MachineRepair.lastRepair(member.host(), needed).stream())
                .map(at -> NamedSince.of(at, member.host().id())));
  }

  /**
   * Whether another machine is being repaired for the same alert. The next repair follows when that
   * repair has helped or failed, or was not answered in time. Of several machines that were asked,
   * the first is behind no machine that answered, so that they do not wait for each other.
   */
  private boolean isBehindAnother(NamedSince place) {
    Duration answer = ANSWER.dividedBy(limits.settings().speed());
    boolean isFirst = true;
    for (NamedSince each : components().asked().of(needed(member(place)).alert())) {
      if (each.hostUid().equals(place.hostUid())) {
        isFirst = false;
      } else if (member(each).host().unansweredRepairs().findAny().isPresent()
          ? !waiting.isDue(each.since().plus(answer))
          : isFirst) {
        return true;
      }
    }
    return false;
  }

  /** Whether its attempts are so long ago that they do not count any more. */
  private boolean beginsAnew(NamedSince place) {
    Member member = member(place);
    return member
        .host()
        .repair(needed(member).alert())
        .filter(last -> !last.isLast(window(member.host()), limits.now()))
        .isPresent();
  }

  private Duration window(Host host) {
    return RepairAttempts.ofComponents(host, limits.now(), limits.settings());
  }

  /** Whether the last attempt is long enough ago; the plan wakes when it is. */
  private boolean isDue(NamedSince place) {
    Duration rest = RepairAttempts.REST.dividedBy(limits.settings().speed());
    return waiting.isDue(place.since().plus(rest));
  }

  private boolean isOffered() {
    return limits
        .seen()
        .offer()
        .known()
        .filter(offer -> offer.capabilities().repairsComponents())
        .isPresent();
  }

  private static Why notOffered(String alert) {
    return Why.held(
        RepairsHeldReason.NOT_OFFERED,
        "The fleet does not repair components, which the alert %s asks for.".formatted(alert));
  }

  private void wait(int count, List<NamedSince> first, Why why) {
    waiting.add(count, first.stream().map(NamedSince::name), why);
  }

  private Member member(NamedSince place) {
    return limits.seen().members().find(place.hostUid()).orElseThrow();
  }

  private static NeededRepairs.Needed needed(Member member) {
    return member.findings().needed().component().orElseThrow();
  }

  private Begun begun(Member member, boolean recorded) {
    return recorded
        ? new Begun(limits.last().admitted().orElseThrow(), Optional.of(repair(member)))
        : new Begun(
            RepairState.Admitted.ofComponent(
                member.host().id(), needed(member).alert(), limits.now()),
            Optional.empty());
  }

  private PlannedAction repair(Member member) {
    Host host = member.host();
    NeededRepairs.Needed needed = needed(member);
    String named = needed.key().component();
    String component = named.equals(SignalKey.HOST) ? "" : named;
    ComponentRepair request =
        ComponentRepair.next(host.repair(needed.alert()), needed.alert(), component, limits.now());
    HostOperation.RepairComponent operation =
        new HostOperation.RepairComponent(
            host.id(),
            host.tenancy(),
            limits.seen().pool().id(),
            host.occupancy().repairs(),
            request);
    EventDraft event =
        new EventDraft(
            EventReason.NODE_COMPONENT_REPAIR,
            EventDraft.Regarding.of(member.node().orElseThrow()),
            operation.id(),
            "Node %s has the alert %s: its fleet is asked to repair %s, attempt %d."
                .formatted(
                    host.id().name(),
                    needed.alert(),
                    component.isEmpty() ? "its DPU" : component,
                    request.attempt()));
    return new PlannedAction(
        List.of(event),
        new Action.OnHost(operation),
        "its machine has the alert " + needed.alert());
  }
}
