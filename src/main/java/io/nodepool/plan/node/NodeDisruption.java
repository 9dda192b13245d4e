package io.nodepool.plan.node;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Workload;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.plan.disruption.DisruptionAdmission;
import io.nodepool.plan.disruption.NodeDemands;
import io.nodepool.vocabulary.DisruptionCause;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  /** Admits what the machine's plan demands by itself; empty if it demands nothing. */
  Optional<PlannedAction> begin() {
    return Demand.merged(demands.own(Optional.empty())).flatMap(this::admit);
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
    if (!DisruptionAdmission.whileFleetIsKnown(subject.fleetIsKnown()).commits(demand.window())) {
      return MachinePlan.NOTHING;
    }
    Node.Removing says = subject.marked(admitted);
    if (!node.removing().equals(Optional.of(says))) {
      return MachinePlan.of(announce(says));
    }
    return commitWhenDue(admitted, demand.window(), workload);
  }

  private MachinePlan commitWhenDue(
      Disruption.Admitted admitted, Demand.Window window, Workload workload) {
    Instant due = workload.isBusy() ? window.interruptAt() : window.notBefore();
    if (now.isBefore(due)) {
      return MachinePlan.waiting(due);
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
    Workload found = subject.workload(listed.pods(), now);
    if (found.isBusy() && !window.mayInterrupt(now)) {
      return MachinePlan.of(kept(admitted, found, "it got tenant work that only a live list shows"))
          .or(Optional.of(window.interruptAt()));
    }
    return MachinePlan.of(commit(admitted, window, listed));
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
    List<Disruption.Cause> joined = joined(own, admitted);
    next.addAll(joined);
    if (next.isEmpty()) {
      return Optional.of(
          change.withdraw(admitted, now, now, "its fleet withdrew the notice of preemption"));
    }
    if (!left && joined.isEmpty()) {
      return Optional.empty();
    }
    Disruption.Admitted changed = admitted.withCauses(next);
    return Optional.of(
        change.update(
            changed,
            admitted,
            joined.isEmpty() ? "its preemption was withdrawn" : joined.getFirst().text()));
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
      return change.withdraw(admitted, now, until, "somebody uncordoned it");
    }
    Disruption.Admitted next =
        insisting.size() == admitted.causes().size()
            ? admitted
            : admitted.withCauses(insisting).withPassedOver(until);
    return change.cordonAgain(next.withCordon(Disruption.Cordon.OURS));
  }

  /**
   * Withdraws the causes for which tenant work keeps the Node; empty if it does not keep it. The
   * pool does not choose it again for some time, because another attempt would fail the same way.
   */
  private Optional<PlannedAction> kept(
      Disruption.Admitted admitted, Workload workload, String why) {
    if (!workload.isBusy()) {
      return Optional.empty();
    }
    List<Disruption.Cause> left =
        admitted.causes().stream().filter(cause -> !waitsForIdle(cause)).toList();
    if (left.size() == admitted.causes().size()) {
      return Optional.empty();
    }
    Instant until = now.plus(settings.removal().passedOver());
    return Optional.of(change.keep(admitted, left, now, until, why));
  }

  /** Whether the cause never interrupts busy work, now or later. */
  private boolean waitsForIdle(Disruption.Cause cause) {
    return cause.what() != DisruptionCause.PREEMPTION
        && demands.ofNode(cause).window().interruptAt().equals(Instant.MAX);
  }

  /**
   * Reports the disruption in CWNodeRemoval. The condition is part of the status, so it needs a
   * write of its own.
   */
  private PlannedAction announce(Node.Removing says) {
    return PlannedAction.quiet(
        new Action.ReportRemoval(
            node.name(), node.uid(), Optional.of(says), node.removing().isEmpty()),
        "it is marked");
  }

  private PlannedAction commit(
      Disruption.Admitted admitted, Demand.Window window, MachineSnapshot.Listing listed) {
    Disruption.Committed next =
        new Disruption.Committed(
            admitted.sequence(), admitted.causes(), admitted.cordon(), now, limits(window));
    Drain drain = subject.drain(listed.pods(), next.limits(), now, settings);
    Optional<EventDraft> inProgress = unannounced(next);
    return new PlannedAction(
        Stream.concat(inProgress.stream(), change.drains(next, drain).stream()).toList(),
        record(
            next,
            drain.says(),
            inProgress
                .map(_ -> Map.of(NodeLabels.EVICTED_AT.key(), NodePreemption.labelText(now)))
                .orElse(Map.of())),
        next.text());
  }

  private Action record(Disruption.Committed next, Node.Removing says, Map<String, String> labels) {
    return new Action.CommitDisruption(
        node.name(), node.uid(), node.version(), next, says, node.removing().isEmpty(), labels);
  }

  /**
   * The limits of a disruption that is committed now. If the operator comes so late that the Pods
   * would have no time left, they get the time of the force; nothing else moves an instant that was
   * set from outside (decision D67).
   */
  private Disruption.Limits limits(Demand.Window window) {
    Instant force = window.forceAt().isBefore(now) ? now : window.forceAt();
    Optional<Instant> stop =
        window.isFromOutside()
            ? Optional.of(later(window.stopAt(), force.plus(settings.preemption().forced())))
            : Optional.empty();
    return new Disruption.Limits(DisruptionEnding.LEAVE, force, stop);
  }

  private static Instant later(Instant one, Instant other) {
    return one.isAfter(other) ? one : other;
  }

  /**
   * What a preemption changes on a committed disruption: its instants tighten it, and its Events
   * are emitted. Empty if there is nothing to do.
   */
  Optional<PlannedAction> tighten(Disruption.Committed committed) {
    List<Disruption.Cause> joined = joined(demands.ownCauses(committed), committed);
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
    Demand.Window window = demands.all(Optional.of(committed)).orElseThrow().window();
    Disruption.Limits wanted = limits(window);
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
                .orElseGet(
                    () -> subject.drain(subject.pods(), next.limits(), now, settings).says()),
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
