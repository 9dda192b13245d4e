package io.nodepool.plan.node;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.Workload;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.plan.disruption.DisruptionAdmission;
import io.nodepool.plan.disruption.NodeDemands;
import io.nodepool.plan.disruption.RebootRequest;
import io.nodepool.vocabulary.DisruptionCause;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A disruption up to its commitment: after the settle time of the cordon the Node's Pods are listed
 * live, and only if that list shows that the Node may be disrupted, the disruption is committed.
 * The API server accepts a binding to a cordoned Node, so nothing less shows that the Node is idle.
 * Until then each cause may withdraw, and the Node stays once none is left.
 */
final class NodeDisruption {
  /**
   * A Node that a person uncordoned is passed over this many times longer than one that got tenant
   * work (decision D69).
   */
  private static final int UNCORDONED_FACTOR = 5;

  private final DisruptedNode subject;
  private final Node node;
  private final DisruptionChange change;
  private final NodePreemption preemption;
  private final NodeDemands demands;
  private final Instant now;
  private final PlanSettings settings;

  NodeDisruption(DisruptedNode subject, NodeDemands demands, Instant now, PlanSettings settings) {
    this.subject = subject;
    this.node = subject.node();
    this.change = new DisruptionChange(node, subject.pool());
    this.preemption = new NodePreemption(node, subject.pool());
    this.demands = demands;
    this.now = now;
    this.settings = settings;
  }

  /** Admits what the machine's plan demands by itself; empty if it demands nothing now. */
  Optional<PlannedAction> begin() {
    return Demand.merged(
            demands.own(Optional.empty()).stream()
                .filter(demand -> demand.causes().stream().allMatch(this::mayBegin))
                .toList())
        .flatMap(this::admit);
  }

  /**
   * Whether the Node may be cordoned for this cause now. One that ends when the Node is busy begins
   * when it is idle, and not again at once after tenant work or a person kept the Node.
   */
  private boolean mayBegin(Disruption.Cause cause) {
    if (RebootRequest.of(cause).isEmpty()) {
      return true;
    }
    return subject.fleetIsKnown() && !isPassedOver() && !(demands.endsWhenBusy(cause) && isBusy());
  }

  /**
   * Whether the Node is busy by its Pods or by its own CWActive; it is idle only if both say so.
   */
  private boolean isBusy() {
    return subject.workload(subject.pods(), now).isBusy()
        || node.activity().filter(Node.Activity::active).isPresent();
  }

  private boolean isPassedOver() {
    return node.disruption()
        .filter(last ->
            switch (last) {
              case Disruption.PassedOver passed -> !passed.isOver(now);
              case Disruption.Admitted admitted -> now.isBefore(admitted.notes().passedOver());
              case Disruption.Requested _, Disruption.Committed _ -> false;
            })
        .isPresent();
  }

  /** Admits a disruption for a cause that a live read found. */
  Optional<PlannedAction> begin(DisruptionCause found) {
    return admit(demands.ofNode(new Disruption.Cause(found, "", now)));
  }

  private Optional<PlannedAction> admit(Demand demand) {
    return DisruptionAdmission.whileFleetIsKnown(subject.fleetIsKnown()).admits(demand.window())
        ? Optional.of(change.admit(demand.causes()))
        : Optional.empty();
  }

  /** The next step of an admitted disruption. */
  MachinePlan settle(Disruption.Admitted admitted) {
    Optional<PlannedAction> followed = follow(admitted);
    if (followed.isPresent()) {
      return MachinePlan.of(followed);
    }
    if (!node.cordoned()) {
      return MachinePlan.of(uncordoned(admitted));
    }
    Demand demand = demands.all(Optional.of(admitted)).orElseThrow();
    Workload workload = subject.workload(subject.pods(), now);
    Optional<PlannedAction> kept = kept(admitted, workload, "it got tenant work");
    if (kept.isPresent()) {
      return MachinePlan.of(kept);
    }
    if (!commits(demand)) {
      return MachinePlan.NOTHING;
    }
    return subject
        .announce(admitted)
        .map(MachinePlan::of)
        .orElseGet(() -> commitWhenDue(admitted, demand, workload));
  }

  /** Whether the disruption may be committed now; a reboot needs a fleet that can be reached. */
  private boolean commits(Demand demand) {
    return demand.ending() instanceof DisruptionEnding.Leave
        ? DisruptionAdmission.whileFleetIsKnown(subject.fleetIsKnown()).commits(demand.window())
        : subject.fleetIsKnown();
  }

  private MachinePlan commitWhenDue(
      Disruption.Admitted admitted, Demand demand, Workload workload) {
    Demand.Window window = demand.window();
    Optional<MachinePlan> waits = waitsUntilDue(window, workload);
    if (waits.isPresent()) {
      return waits.get();
    }
    Duration settle = settings.removal().settle();
    Duration watched = Duration.between(subject.evidence().cordonSeen().orElse(now), now);
    // An instant from outside does not wait for late bindings: what is bound is drained (D67).
    if (!isPreemptionDue() && watched.compareTo(settle) < 0) {
      return MachinePlan.waiting(now.plus(settle.minus(watched)));
    }
    if (subject.evidence().listed().isEmpty()) {
      return MachinePlan.of(subject.list("its cordon has settled"));
    }
    MachineSnapshot.Listing listed = subject.evidence().listed().get();
    return keptOrDue(admitted, window, listed)
        .orElseGet(() -> MachinePlan.of(commit(admitted, demand, listed)));
  }

  /** The wait until the Node may be touched; empty if it may be now. */
  private Optional<MachinePlan> waitsUntilDue(Demand.Window window, Workload workload) {
    Instant due = workload.isBusy() ? window.interruptAt() : window.notBefore();
    return now.isBefore(due) ? Optional.of(until(due)) : Optional.empty();
  }

  /** The plan if the live list shows work that keeps the Node; empty if it may be touched. */
  private Optional<MachinePlan> keptOrDue(
      Disruption.Active active, Demand.Window window, MachineSnapshot.Listing listed) {
    Workload found = subject.workload(listed.pods(), now);
    Optional<PlannedAction> kept =
        kept(active, found, "it got tenant work that only a live list shows");
    if (kept.isPresent()) {
      return kept.map(MachinePlan::of);
    }
    return found.isBusy() && !window.mayInterrupt(now)
        ? Optional.of(until(window.interruptAt()))
        : Optional.empty();
  }

  private static MachinePlan until(Instant due) {
    return due.equals(Instant.MAX) ? MachinePlan.NOTHING : MachinePlan.waiting(due);
  }

  /**
   * Follows what is demanded beside a committed reboot: causes to leave join, or withdraw. The
   * reboot itself is not withdrawn.
   */
  Optional<PlannedAction> followLeaving(Disruption.Committed reboot) {
    List<Disruption.Cause> own = demands.ownCauses(reboot);
    List<Disruption.Cause> next =
        new ArrayList<>(
            reboot.causes().stream()
                .filter(cause -> !cause.what().leaves() || NodeDemands.isStillDemanded(cause, own))
                .toList());
    joined(own, reboot).stream().filter(cause -> cause.what().leaves()).forEach(next::add);
    Disruption.Committed changed = reboot.withCauses(next);
    return changed.equals(reboot)
        ? Optional.empty()
        : Optional.of(change.update(changed, reboot, changed.text()));
  }

  /**
   * Raises a committed reboot to leave, when the causes to leave that were added allow it: the Node
   * is idle by a live list, or its work may be interrupted. Empty without such causes.
   */
  Optional<MachinePlan> raise(Disruption.Committed reboot) {
    Optional<Demand> demand = demands.toLeave(reboot);
    if (demand.isEmpty()) {
      return Optional.empty();
    }
    Demand.Window window = demand.get().window();
    Workload workload = subject.workload(subject.pods(), now);
    Optional<PlannedAction> kept = kept(reboot, workload, "it got tenant work");
    if (kept.isPresent()) {
      return kept.map(MachinePlan::of);
    }
    if (!commits(demand.get())) {
      return Optional.of(MachinePlan.NOTHING);
    }
    Optional<MachinePlan> waits = waitsUntilDue(window, workload);
    if (waits.isPresent()) {
      return waits;
    }
    if (subject.evidence().listed().isEmpty()) {
      return Optional.of(MachinePlan.of(subject.list("it is to leave instead of its reboot")));
    }
    MachineSnapshot.Listing listed = subject.evidence().listed().get();
    return Optional.of(
        keptOrDue(reboot, window, listed)
            .orElseGet(() ->
                MachinePlan.of(
                    committed(reboot.with(reboot.causes(), limits(demand.get())), listed.pods()))));
  }

  /** Follows what the machine's plan demands by itself: causes join, or withdraw. */
  private Optional<PlannedAction> follow(Disruption.Admitted admitted) {
    List<Disruption.Cause> own = demands.ownCauses(admitted);
    List<Disruption.Cause> next =
        new ArrayList<>(
            admitted.causes().stream()
                .filter(cause -> NodeDemands.isStillDemanded(cause, own))
                .toList());
    boolean left = next.size() < admitted.causes().size();
    List<Disruption.Cause> joined = joined(own, admitted).stream().filter(this::mayBegin).toList();
    next.addAll(joined);
    if (next.isEmpty()) {
      return Optional.of(
          change.withdraw(
              admitted,
              now,
              now,
              admitted.has(DisruptionCause.PREEMPTION)
                  ? "its fleet withdrew the notice of preemption"
                  : "its request was taken back"));
    }
    if (!left && joined.isEmpty()) {
      return Optional.empty();
    }
    Disruption.Admitted changed = admitted.withCauses(next);
    return Optional.of(
        change.update(
            changed,
            admitted,
            joined.isEmpty() ? "a cause was withdrawn" : joined.getFirst().text()));
  }

  private static List<Disruption.Cause> joined(
      List<Disruption.Cause> own, Disruption.Active active) {
    return own.stream().filter(cause -> active.causes().stream().noneMatch(cause::isSame)).toList();
  }

  /**
   * Another client uncordoned the Node: that ends the disruption but for causes that insist, for
   * which it is cordoned again (decision D69).
   */
  private PlannedAction uncordoned(Disruption.Admitted admitted) {
    Instant until = now.plus(settings.removal().passedOver().multipliedBy(UNCORDONED_FACTOR));
    List<Disruption.Cause> insisting =
        admitted.causes().stream().filter(NodeDemands::isInsisting).toList();
    if (insisting.isEmpty()) {
      return change.cancel(admitted, now, until, "somebody uncordoned it");
    }
    Disruption.Admitted next =
        insisting.size() == admitted.causes().size()
            ? admitted
            : admitted.withCauses(insisting).withPassedOver(until);
    return change.cordonAgain(next.withCordon(Disruption.Cordon.OURS), admitted);
  }

  /**
   * Withdraws the causes for which tenant work keeps the Node; empty if it does not keep it. The
   * pool does not choose it again for some time, because another attempt would fail the same way.
   */
  private Optional<PlannedAction> kept(Disruption.Active active, Workload workload, String why) {
    if (!workload.isBusy()) {
      return Optional.empty();
    }
    List<Disruption.Cause> left =
        active.causes().stream().filter(cause -> !isGivenUp(active, cause)).toList();
    if (left.size() == active.causes().size()) {
      return Optional.empty();
    }
    Instant until = now.plus(settings.removal().passedOver());
    return Optional.of(change.keep(active, left, now, until, why));
  }

  /** Whether tenant work ends this cause; a reboot that is committed is not withdrawn any more. */
  private boolean isGivenUp(Disruption.Active active, Disruption.Cause cause) {
    return switch (active) {
      case Disruption.Admitted _ -> demands.endsWhenBusy(cause);
      case Disruption.Committed _ -> cause.what().leaves() && demands.endsWhenBusy(cause);
    };
  }

  private PlannedAction commit(
      Disruption.Admitted admitted, Demand demand, MachineSnapshot.Listing listed) {
    return committed(
        new Disruption.Committed(
            admitted.sequence(), admitted.causes(), admitted.cordon(), now, limits(demand)),
        listed.pods());
  }

  /** The write that commits this disruption of a Node with these Pods. */
  private PlannedAction committed(Disruption.Committed next, List<Pod> pods) {
    Drain drain = subject.drain(pods, next.limits(), now, settings);
    List<EventDraft> eventDrafts = new ArrayList<>();
    Map<String, String> labels = new TreeMap<>();
    if (next.isLeaving()) {
      unannounced(next)
          .ifPresent(eventDraft -> {
            eventDrafts.add(eventDraft);
            labels.put(NodeLabels.EVICTED_AT.key(), NodePreemption.labelText(now));
          });
    } else if (drain.isDone()) {
      eventDrafts.addAll(change.rebooting(next));
      labels.put(NodeLabels.STATE.key(), RebootRequest.stateOf(next.causes()).word());
    }
    eventDrafts.addAll(change.drains(next, drain));
    return new PlannedAction(
        eventDrafts,
        record(next, next.isLeaving() ? Optional.of(drain.says()) : Optional.empty(), labels),
        next.text());
  }

  private Action record(
      Disruption.Committed next, Optional<Node.Removing> says, Map<String, String> labels) {
    return new Action.CommitDisruption(
        node.name(), node.uid(), node.version(), next, says, node.removing().isEmpty(), labels);
  }

  /**
   * Gives up a reboot whose machine did not come back: the Node leaves, and its Host is set aside.
   *
   * @param events the Events that announce it
   */
  PlannedAction giveUp(Disruption.Committed reboot, List<EventDraft> events, String why) {
    List<Disruption.Cause> causes =
        Stream.concat(
                reboot.causes().stream(),
                Stream.of(new Disruption.Cause(DisruptionCause.REBOOT_FAILED, "", now)))
            .toList();
    Disruption.Limits limits =
        new Disruption.Limits(
            new DisruptionEnding.Leave(), now.plus(settings.drain().deadline()), Optional.empty());
    return committed(reboot.with(causes, limits), subject.pods()).after(events).because(why);
  }

  /**
   * The limits of a disruption that is committed now. If the operator comes so late that the Pods
   * would have no time left, they get the time of the force; nothing else moves an instant that was
   * set from outside (decision D67).
   */
  private Disruption.Limits limits(Demand demand) {
    Demand.Window window = demand.window();
    Instant force = window.forceAt().isBefore(now) ? now : window.forceAt();
    Optional<Instant> stop =
        window.isFromOutside()
            ? Optional.of(later(window.stopAt(), force.plus(settings.preemption().forced())))
            : Optional.empty();
    return new Disruption.Limits(demand.ending(), force, stop);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  /**
   * What a preemption changes on a committed disruption: its instants tighten it, and its Events
   * are emitted. Empty if there is nothing to do.
   */
  Optional<PlannedAction> tighten(Disruption.Committed committed) {
    List<Disruption.Cause> joined =
        joined(demands.ownCauses(committed), committed).stream()
            .filter(cause -> cause.what().leaves())
            .toList();
    if (!joined.isEmpty()) {
      return Optional.of(join(committed, joined));
    }
    return unannounced(committed)
        .map(eventDraft ->
            change.label(
                committed,
                NodeLabels.EVICTED_AT,
                NodePreemption.labelText(now),
                eventDraft,
                "its preemption is in progress"));
  }

  private PlannedAction join(Disruption.Committed committed, List<Disruption.Cause> joined) {
    Disruption.Limits wanted = limits(demands.all(Optional.of(committed)).orElseThrow());
    Disruption.Limits last = committed.limits();
    Instant force = wanted.forceAt().isBefore(last.forceAt()) ? wanted.forceAt() : last.forceAt();
    Optional<Instant> stop =
        Stream.concat(last.stopAt().stream(), wanted.stopAt().stream()).min(Instant::compareTo);
    Disruption.Committed next =
        committed.with(
            Stream.concat(committed.causes().stream(), joined.stream()).toList(),
            new Disruption.Limits(last.ending(), force, stop));
    List<EventDraft> pending = change.pending(joined);
    return new PlannedAction(
        pending,
        record(
            next,
            node.removing()
                .or(() ->
                    Optional.of(
                        subject.drain(subject.pods(), next.limits(), now, settings).says())),
            pending.isEmpty()
                ? Map.of()
                : Map.of(
                    NodeLabels.PENDING_PREEMPTION.key(), DisruptionChange.PREEMPTION_IS_PENDING)),
        joined.getFirst().text());
  }

  /**
   * Whether the warning of a preemption is over. A Node that other causes drain earlier is not
   * being preempted yet.
   */
  private boolean isPreemptionDue() {
    return progressAt().filter(at -> !now.isBefore(at)).isPresent();
  }

  /** When the drain of a preemption begins that its fleet still announces. */
  Optional<Instant> progressAt() {
    return demands.preemption().map(demand -> demand.window().interruptAt());
  }

  /** The Event that a preemption is in progress, if its drain is due and was not announced. */
  Optional<EventDraft> unannounced(Disruption.Committed committed) {
    return preemption.inProgress(committed).filter(_ -> isPreemptionDue());
  }
}
