package io.nodepool.plan.repair;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.members.FaultyMembers;
import io.nodepool.model.members.FaultyMembers.Group;
import io.nodepool.model.members.NamedSince;
import io.nodepool.model.members.Places;
import io.nodepool.model.members.RepairPlace;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Finding;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.RepairAttempts;
import io.nodepool.plan.disruption.UnavailableNodes;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import io.nodepool.plan.disruption.cause.RepairCause;
import io.nodepool.plan.node.NodeRecord;
import io.nodepool.plan.repair.WaitingRepairs.Why;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.pcollections.TreePSet;

/**
 * Which Nodes are cordoned because their machines have active alerts, and which repairs are carried
 * out (decisions D29, D33 and D75). A cordon needs a place within the level. Repairs of cordoned
 * Nodes are then carried out at a rate, so few at once, by permission of the pool: the machine's
 * plan commits to a repair only once the pool has published the permission.
 */
public final class Repairs {
  private final PoolSnapshot seen;
  private final FaultyMembers faulty;
  private final RepairLimits limits;
  private final UnavailableNodes level;
  private final DisruptionAdmission admission;

  /** The level of alerts that do not wait until their Nodes are idle. */
  private final UnavailableNodes levelNow;

  private final DisruptionAdmission admissionNow;
  private final DailyLimits daily;
  private final SuspectedAlerts suspicion;

  /** The last permission, with the suspected alerts now. */
  private final RepairState state;

  private final WaitingRepairs waiting;
  private final ComponentRepairs components;
  private final List<PlannedAction> plannedActions = new ArrayList<>();

  /** The Nodes that tenants can use and that are cordoned now, by the UID of their Hosts. */
  private final Set<String> begun = new TreeSet<>();

  /**
   * The repairs of a pool.
   *
   * @param plannedActions the actions that cordon Nodes
   * @param next the state that its status publishes
   * @param held what holds Nodes; empty if only the pace does
   * @param wakeup when the next repair may begin
   * @param byReason how many Nodes wait, by what holds them
   * @param byNode what holds each of the first Nodes that wait, by its name
   */
  public record Outlook(
      List<PlannedAction> plannedActions,
      RepairState next,
      Optional<Finding> held,
      Optional<Instant> wakeup,
      Map<String, Integer> byReason,
      Map<String, String> byNode) {}

  private Repairs(RepairLimits limits, DisruptionAdmission admission, int rackSize) {
    this.seen = limits.seen();
    this.faulty = seen.members().byFault();
    this.limits = limits;
    this.level = RepairLimits.level(seen, rackSize);
    this.admission = admission.within(level);
    this.levelNow = level.before(level.isInRacks() ? 0 : waitingForIdle());
    this.admissionNow = admission.within(levelNow);
    this.daily = new DailyLimits(seen, limits.now(), limits.settings().speed());
    this.suspicion = new SuspectedAlerts(seen, daily, limits.now());
    this.state = suspicion.on(limits.unexpiredPermissions());
    this.waiting = new WaitingRepairs(limits.now());
    this.components = new ComponentRepairs(limits, state, waiting);
  }

  /**
   * The repairs of a pool now.
   *
   * @param stopped the Nodes whose machines do not run any more, and that wait until they may leave
   */
  public static Outlook plan(
      RepairLimits limits, DisruptionAdmission admission, StoppedMachines stopped, int rackSize) {
    if (limits.seen().watched().ungraded().isPresent()) {
      return ungraded(limits, stopped);
    }
    return isWell(limits.seen()) && stopped.count() == 0
        ? new Outlook(
            List.of(),
            limits.unexpiredPermissions(),
            Optional.empty(),
            limits.rackUntil(),
            Map.of(),
            Map.of())
        : new Repairs(limits, admission, rackSize).plan(stopped);
  }

  private static boolean isWell(PoolSnapshot seen) {
    return seen.members().byFault().isEmpty() && seen.pool().repairs().suspects().isEmpty();
  }

  /**
   * The suspected alerts of a pool that is being deleted: nothing is repaired, and no Host is set
   * aside for an alert that is held.
   */
  public static RepairState ofTerminating(PoolSnapshot seen, Instant now, int speed) {
    return isWell(seen)
        ? RepairState.NONE
        : new SuspectedAlerts(seen, new DailyLimits(seen, now, speed), now).on(RepairState.NONE);
  }

  /** How many Nodes are cordoned for a repair that waits for the end of their own work. */
  private int waitingForIdle() {
    return faulty.in(Group.CORDONED).count() - limits.able().count();
  }

  /** The level for verifications: Nodes with an alert in doubt wait for their verdict. */
  private UnavailableNodes levelOfProbes() {
    int waitingForVerdict = limits.able().count() - limits.able().count(state::isHeld);
    return level.before(level.isInRacks() ? 0 : waitingForIdle() + waitingForVerdict);
  }

  /** The alert catalogue could not be read: nothing begins, and what is recorded stays. */
  private static Outlook ungraded(RepairLimits limits, StoppedMachines stopped) {
    WaitingRepairs waiting = new WaitingRepairs(limits.now());
    Why why = limits.why(RepairLimits.UNGRADED);
    waiting.addAll(limits.able(), RepairPlace::name, why);
    waiting.add(stopped.count(), stopped.names(), why);
    return new Outlook(
        List.of(),
        waiting.on(limits.last()),
        Optional.of(new Finding(RepairsHeldReason.CATALOGUE_UNREADABLE, why.text())),
        Optional.empty(),
        waiting.byReason(),
        waiting.byNode());
  }

  private Outlook plan(StoppedMachines stopped) {
    add(stopped);
    limits.releasedUntil().ifPresent(waiting::wakesAt);
    suspicion.changesAt().ifPresent(waiting::wakesAt);
    RepairState next = state;
    if (seen.pool().spec().repair().isRepairing()) {
      begin();
      next = new NextRepair(limits, daily, state, waiting, levelOfProbes()).plan();
      waitForLevel();
      Optional<ComponentRepairs.Begun> component =
          components.plan(
              next.admitted().equals(state.admitted()) && limits.unusedUntil().isEmpty());
      component.flatMap(ComponentRepairs.Begun::plannedAction).ifPresent(plannedActions::add);
      next = next.withAdmitted(component.map(ComponentRepairs.Begun::admitted).or(next::admitted));
      faulty.in(Group.STALE).byName().forEach(this::stale);
    } else {
      Why observed = observed(seen.pool().spec().repair());
      faulty.uncordoned().forEach(places -> waiting.addAll(places, RepairPlace::name, observed));
      waiting.addAll(faulty.components().repairable(), NamedSince::name, observed);
    }
    return new Outlook(
        plannedActions,
        waiting.on(next),
        waiting.held(),
        waiting.wakeup(),
        waiting.byReason(),
        waiting.byNode());
  }

  /** Nodes whose machines do not run any more, and that may not leave yet. */
  private void add(StoppedMachines stopped) {
    if (stopped.count() > 0) {
      Why why =
          switch (limits.decision()) {
            case Decision.Admitted _ -> RepairLimits.RATE;
            case Decision.Held held -> limits.why(held);
          };
      waiting.add(stopped.count(), stopped.names(), why);
      waiting.wakesAt(limits.nextDue());
    }
  }

  /**
   * Cordons Nodes for their repair within the level. Nodes that tenants cannot use anyway take no
   * place in it.
   */
  private void begin() {
    waitingAlerts().filter(state::isHeld).forEach(this::suspected);
    faulty
        .in(Group.OUT_OF_USE)
        .first(state::isFalseAlarm, DisruptionAdmission.MOST_AT_ONCE)
        .forEach(place -> begin(member(place), true));
    components
        .tried(DisruptionAdmission.MOST_AT_ONCE)
        .takeWhile(_ -> level.hasRoom())
        .forEach(member -> begin(member, member.isUnavailable()));
    beginAvailable();
    faulty.nextPassedOver().filter(at -> at.isAfter(limits.now())).ifPresent(waiting::wakesAt);
  }

  /** Cordons Nodes that tenants can use: Nodes of racks that count already take no place. */
  private void beginAvailable() {
    Set<String> counted = level.isInRacks() ? level.racks() : Set.of();
    Set<String> tried = new TreeSet<>();
    counted.stream()
        .flatMap(rack -> faulty.byRack().of(rack).stream())
        .filter(place -> !state.isFalseAlarm(place.alert()))
        .limit(DisruptionAdmission.MOST_AT_ONCE)
        .filter(place -> tried.add(place.uid()))
        .forEach(place -> beginAvailable(place, true));
    faulty
        .in(Group.AVAILABLE)
        .first(
            state::isFalseAlarm, levelNow.room() == 0 ? 0 : levelNow.room() + NextRepair.LOOKED_AT)
        .filter(place -> !tried.contains(place.uid()))
        .takeWhile(_ -> levelNow.hasRoom())
        .forEach(place -> beginAvailable(place, false));
  }

  /**
   * Nodes that are not cordoned since too many are unavailable. They are added last, since the
   * message contains what holds the first Node.
   */
  private void waitForLevel() {
    Places<RepairPlace> available = faulty.in(Group.AVAILABLE);
    int left = available.count(state::isHeld) - begun.size();
    if (left > 0 && !level.hasRoom()) {
      waiting.add(
          left,
          available
              .first(state::isHeld, begun.size() + RepairState.NAMED)
              .filter(place -> !begun.contains(place.uid()))
              .map(RepairPlace::name),
          limits.why(
              new Decision.Held(
                  DisruptionAdmission.Limit.UNAVAILABLE, level.count(), level.most())));
    }
  }

  private void beginAvailable(RepairPlace place, boolean isCounted) {
    if (begin(member(place), isCounted)) {
      begun.add(place.uid());
    }
  }

  /** Nodes with an alert whose source is silent. */
  private void stale(String alert, TreePSet<RepairPlace> places) {
    String source =
        member(places.first()).findings().needed().find(alert).orElseThrow().key().source();
    waiting.add(
        places.size(),
        places.stream().map(RepairPlace::name),
        Why.held(
            RepairsHeldReason.SIGNALS_STALE,
            "%s is stale: its source %s has not confirmed it. No repair begins for it until that does."
                .formatted(alert, source)));
  }

  private Member member(RepairPlace place) {
    return seen.members().find(place.uid()).orElseThrow();
  }

  /** The alerts for which Nodes wait, by name. */
  private Stream<String> waitingAlerts() {
    return Stream.concat(
            waitingPlaces().flatMap(places -> places.byName().keySet().stream()),
            faulty.components().repairable().byName().keySet().stream())
        .distinct()
        .sorted();
  }

  private Stream<Places<RepairPlace>> waitingPlaces() {
    return Stream.concat(faulty.uncordoned(), Stream.of(limits.able()));
  }

  /** Nodes with an alert that is held. */
  private void suspected(String alert) {
    Why why = Why.held(RepairsHeldReason.ALERT_SUSPECTED, suspicion.text(alert));
    waitingPlaces()
        .map(places -> places.of(alert))
        .forEach(of -> waiting.add(of.size(), of.stream().map(RepairPlace::name), why));
    TreePSet<NamedSince> ofComponent = faulty.components().repairable().of(alert);
    waiting.add(ofComponent.size(), ofComponent.stream().map(NamedSince::name), why);
  }

  /**
   * Cordons a Node for its repair if that is admitted, or adds the repair to the disruption of the
   * Node. Returns whether it did so.
   */
  private boolean begin(Member member, boolean isOutOfUse) {
    List<RepairCause> asked = causes(member, seen.offer().known());
    List<RepairCause> due =
        asked.stream()
            .filter(each -> member.findings().needed().stands(each.alert()))
            .filter(each -> isDue(each, member))
            .toList();
    if (asked.isEmpty()) {
      causes(member, Optional.empty()).stream()
          .findFirst()
          .ifPresent(each -> unmet(member, each.alert()));
    }
    if (due.isEmpty()) {
      return false;
    }
    if (member.trouble().isPresent()) {
      troubled(member);
      return false;
    }
    if (member.isMachineHeld()) {
      waiting.add(member, WaitingRepairs.ofMachine(member));
      return false;
    }
    boolean begins =
        member.disruption().isPresent()
            || (due.getFirst().grade().isNow() ? admissionNow : admission)
                .admit(due.getFirst(), member, isOutOfUse)
                .isAdmitted();
    if (begins) {
      plannedActions.add(
          new NodeRecord(member.node().orElseThrow(), seen.pool().id()).demand(due, limits.now()));
    }
    return begins;
  }

  /** Writes for the Node fail: it waits, and takes no place from others. */
  private void troubled(Member member) {
    waiting.add(
        member,
        Why.held(
            RepairsHeldReason.WRITE_REFUSED,
            "Writes for Node %s fail: %s"
                .formatted(member.host().id().name(), member.trouble().orElseThrow())));
  }

  /** The fleet does not offer the boot that the alert asks for: a person has to act. */
  private void unmet(Member member, String alert) {
    waiting.add(
        member,
        Why.held(
            RepairsHeldReason.NOT_OFFERED,
            "The fleet does not offer the boot that the alert %s asks for.".formatted(alert)));
  }

  private List<RepairCause> causes(Member member, Optional<FleetOffer> offer) {
    return RepairCause.demanded(
        member.findings().needed(),
        member.host(),
        member.node().orElseThrow(),
        Optional.of(seen.pool()),
        offer,
        limits.now(),
        limits.settings());
  }

  /**
   * Whether the repair is due: an alert from before the last boot for it must stay active for a
   * while after the boot.
   */
  private boolean isDue(RepairCause cause, Member member) {
    Duration rest = RepairAttempts.REST.dividedBy(limits.settings().speed());
    return member
        .host()
        .boot()
        .filter(boot -> boot.isRepair() && boot.alert().equals(cause.alert()))
        .filter(boot ->
            member
                .findings()
                .needed()
                .find(cause.alert())
                .filter(each -> each.since().isBefore(boot.at()))
                .isPresent())
        .flatMap(_ -> member.backAt())
        .map(at -> waiting.isDue(at.plus(rest)))
        .orElse(true);
  }

  private static Why observed(PoolSpec.RepairPolicy repair) {
    return Why.held(
        RepairsHeldReason.ONLY_OBSERVED,
        repair
            .limits()
            .problem()
            .map(
                problem -> problem + " Until that is corrected, the NodePool only observes alerts.")
            .orElseGet(() ->
                "The NodePool only observes alerts (annotation %s)."
                    .formatted(PoolAnnotations.REPAIR.key())));
  }
}
