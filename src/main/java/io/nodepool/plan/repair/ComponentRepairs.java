package io.nodepool.plan.repair;

import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.health.NeededRepairs;
import io.nodepool.health.SignalKey;
import io.nodepool.model.members.FaultyMembers;
import io.nodepool.model.node.Member;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.RepairAttempts;
import io.nodepool.plan.disruption.cause.DisruptionAdmission.Decision;
import io.nodepool.plan.repair.WaitingRepairs.Why;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.pcollections.TreePMap;
import org.pcollections.TreePSet;

/**
 * Which component of a machine is repaired next while the machine runs, such as its DPU (decisions
 * D75 and D310). The Node stays in use, so neither the level nor the number in flight counts it; it
 * takes its turn at the rate of the pool's repairs, so that a source that is wrong about many
 * machines is suspected before more than a few are touched.
 */
final class ComponentRepairs {
  private final PoolSnapshot seen;
  private final FaultyMembers.Components components;
  private final RepairLimits limits;
  private final Set<String> suspects;
  private final WaitingRepairs waiting;
  private final Consumer<Instant> wakesAt;
  private final Instant now;
  private final PlanSettings settings;

  /**
   * The next repair of a component.
   *
   * @param suspects the alerts for which nothing is done
   * @param waiting receives those that wait
   * @param wakesAt receives when that may change
   */
  ComponentRepairs(
      RepairLimits limits,
      Set<String> suspects,
      WaitingRepairs waiting,
      Consumer<Instant> wakesAt) {
    this.seen = limits.seen();
    this.components = limits.seen().members().byFault().components();
    this.limits = limits;
    this.suspects = suspects;
    this.waiting = waiting;
    this.wakesAt = wakesAt;
    this.now = limits.now();
    this.settings = limits.settings();
  }

  /**
   * The next repair.
   *
   * @param admitted its turn, which the pool records
   */
  record Begun(RepairState.Admitted admitted, PlannedAction plannedAction) {}

  /** The machines of which so many repairs did not help that another one may not either. */
  Stream<Member> tried(int limit) {
    return first(components.tried(), limit).stream()
        .filter(place -> isDue(place) && !beginsAnew(place))
        .map(this::member);
  }

  /**
   * The repair that begins now; empty if none does.
   *
   * @param mayBegin whether this plan lets nothing else begin
   */
  Optional<Begun> plan(boolean mayBegin) {
    int count = FaultyMembers.count(components.repairable(), suspects);
    if (count == 0 && components.tried().isEmpty()) {
      return Optional.empty();
    }
    List<FaultyMembers.Repairable> next = next();
    List<FaultyMembers.Repairable> due = next.stream().filter(this::isDue).toList();
    if (due.isEmpty()) {
      return Optional.empty();
    }
    int young = next.size() - due.size();
    return switch (decision(mayBegin)) {
      case Decision.Held held -> {
        wait(count - young, due.stream(), limits.why(held));
        wakesAt.accept(limits.nextTurn());
        yield Optional.empty();
      }
      case Decision.Admitted _ when !isOffered() -> {
        String alert = needed(due.getFirst()).alert();
        wait(count - young, due.stream(), notOffered(alert));
        yield Optional.empty();
      }
      case Decision.Admitted _ -> {
        wait(count - young - 1, due.stream().skip(1), RepairLimits.RATE);
        wakesAt.accept(limits.afterThis());
        yield Optional.of(repair(member(due.getFirst())));
      }
    };
  }

  /** Those that may be next: the ones that have waited longest, and some that were tried before. */
  private List<FaultyMembers.Repairable> next() {
    return Stream.concat(
            first(components.repairable(), RepairState.NAMED + 1).stream(),
            first(components.tried(), RepairState.NAMED).stream().filter(this::beginsAnew))
        .toList();
  }

  private List<FaultyMembers.Repairable> first(
      TreePMap<String, TreePSet<FaultyMembers.Repairable>> of, int limit) {
    return FaultyMembers.first(of, suspects, limit).toList();
  }

  /** Whether its attempts are so long ago that they do not count any more. */
  private boolean beginsAnew(FaultyMembers.Repairable place) {
    Host host = member(place).host();
    return host.repair(needed(place).alert())
        .filter(last -> !last.isLast(ComponentRepair.WINDOW.dividedBy(settings.speed()), now))
        .isPresent();
  }

  /** Whether the last attempt is long enough ago; the plan wakes when it is. */
  private boolean isDue(FaultyMembers.Repairable place) {
    if (place.repairedAt().equals(Instant.MIN)) {
      return true;
    }
    Instant at = place.repairedAt().plus(RepairAttempts.REST.dividedBy(settings.speed()));
    if (at.isAfter(now)) {
      wakesAt.accept(at);
    }
    return !at.isAfter(now);
  }

  private Decision decision(boolean mayBegin) {
    return mayBegin ? limits.turn() : RepairLimits.BEGUN;
  }

  private boolean isOffered() {
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Known(FleetOffer offer) -> offer.capabilities().repairsComponents();
      case PoolSnapshot.Offer.Lost _ -> false;
    };
  }

  private static Why notOffered(String alert) {
    return Why.held(
        RepairsHeldReason.NOT_OFFERED,
        "The fleet does not repair components, which the alert %s asks for.".formatted(alert));
  }

  private void wait(int count, Stream<FaultyMembers.Repairable> first, Why why) {
    waiting.addNamed(count, first.map(FaultyMembers.Repairable::name), why);
  }

  private Member member(FaultyMembers.Repairable place) {
    return seen.members().find(place.uid()).orElseThrow();
  }

  private NeededRepairs.Needed needed(FaultyMembers.Repairable place) {
    return member(place).findings().needed().component().orElseThrow();
  }

  private Begun repair(Member member) {
    Host host = member.host();
    NeededRepairs.Needed needed = member.findings().needed().component().orElseThrow();
    String component =
        needed.key().component().equals(SignalKey.HOST) ? "" : needed.key().component();
    ComponentRepair request =
        ComponentRepair.next(
            host.repair(needed.alert()),
            needed.alert(),
            component,
            ComponentRepair.WINDOW.dividedBy(settings.speed()),
            now);
    HostOperation.RepairComponent operation =
        new HostOperation.RepairComponent(
            host.id(), host.tenancy(), seen.pool().id(), host.occupancy().repairs(), request);
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
                    request.attempt()),
            1);
    return new Begun(
        RepairState.Admitted.of(host.id(), 0, now),
        new PlannedAction(
            List.of(event),
            new Action.OnHost(operation),
            "its machine has the alert " + needed.alert()));
  }
}
