package io.nodepool.plan.node;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.plan.disruption.cause.NodeDemands;
import io.nodepool.plan.disruption.cause.RebootFailedCause;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The commitment of a Node's disruption: the record of its drain, within which limits, and how that
 * is tightened or raised afterwards. It is not withdrawn.
 */
final class NodeCommitment {
  private final DisruptedNode subject;
  private final Node node;
  private final DisruptionChange change;
  private final NodeDemands demands;
  private final Instant now;
  private final PlanSettings settings;

  NodeCommitment(DisruptedNode subject, NodeDemands demands, Instant now, PlanSettings settings) {
    this.subject = subject;
    this.node = subject.node();
    this.change = new DisruptionChange(node, subject.pool());
    this.demands = demands;
    this.now = now;
    this.settings = settings;
  }

  /** Commits an admitted disruption that may begin now. */
  PlannedAction commit(
      Disruption.Admitted admitted, Demand.Part wanted, MachineSnapshot.Listing listed) {
    return committed(
        new Disruption.Committed(
            admitted.sequence(), admitted.causes(), admitted.cordon(), now, limits(wanted)),
        listed.pods());
  }

  /** Raises a committed reboot to leave. */
  PlannedAction raise(
      Disruption.Committed reboot, Demand.Part wanted, MachineSnapshot.Listing listed) {
    return committed(reboot.with(reboot.causes(), limits(wanted)), listed.pods());
  }

  /** The write that commits this disruption of a Node with these Pods. */
  private PlannedAction committed(Disruption.Committed next, List<Pod> pods) {
    Drain drain = subject.drain(pods, next.limits(), now, settings);
    List<EventDraft> eventDrafts = new ArrayList<>();
    // The policy of the request is used up with this.
    MetadataChange marks =
        new DisruptionMarks(node).withoutPolicy(MetadataChange.NONE, next.causes());
    if (next.isLeaving()) {
      Optional<DrainProgress> unannounced = unannounced(next);
      if (unannounced.isPresent()) {
        eventDrafts.add(unannounced.get().eventDraft());
        marks =
            marks.withLabel(
                unannounced.get().label().key(), Optional.of(DrainProgress.labelText(now)));
      }
    } else if (drain.isDone()) {
      eventDrafts.addAll(change.rebooting(next));
      marks =
          marks.withLabel(
              NodeLabels.STATE.key(), Optional.of(RebootRequest.stateOf(next.causes()).word()));
    }
    eventDrafts.addAll(change.drains(next, drain));
    return new PlannedAction(
        eventDrafts,
        record(next, next.isLeaving() ? Optional.of(drain.says()) : Optional.empty(), marks),
        next.text());
  }

  private Action record(
      Disruption.Committed next, Optional<Node.Removing> says, MetadataChange marks) {
    Optional<String> state = marks.labels().getOrDefault(NodeLabels.STATE.key(), Optional.empty());
    return Action.WriteNode.of(
        node,
        NodePrecondition.unchanged(node),
        new NodeChange.OfStatus(
            marks.recording(Optional.of(next)),
            Stream.concat(
                    says.map(each -> ConditionChange.removal(node, says)).stream(),
                    state.map(ConditionChange::phase).stream())
                .toList()),
        NodePurpose.COMMIT);
  }

  /**
   * Gives up a reboot whose machine did not come back: the Node leaves, and its Host is set aside.
   *
   * @param events the Events that announce it
   */
  PlannedAction giveUp(Disruption.Committed reboot, List<EventDraft> events, String why) {
    List<Disruption.Cause> causes = reboot.causesAnd(List.of(new RebootFailedCause().at(now)));
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
  private Disruption.Limits limits(Demand.Part wanted) {
    Demand.Window window = wanted.window();
    Instant force = window.forceAt().isBefore(now) ? now : window.forceAt();
    Optional<Instant> stop =
        window.isFromOutside()
            ? Optional.of(later(window.stopAt(), force.plus(settings.preemption().forced())))
            : Optional.empty();
    return new Disruption.Limits(wanted.ending(), force, stop);
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
        committed.newAmong(demands.own(Optional.of(committed))).stream()
            .filter(Disruption.Cause::leaves)
            .toList();
    if (!joined.isEmpty()) {
      return Optional.of(join(committed, joined));
    }
    return unannounced(committed).map(progress -> change.label(committed, progress, now));
  }

  /**
   * The write with which these causes join. It does not repeat CWNodeRemoval, which may be old: the
   * plan that follows it reports other instants.
   */
  private PlannedAction join(Disruption.Committed committed, List<Disruption.Cause> joined) {
    Disruption.Limits wanted =
        limits(demands.demandedOf(committed).orElseThrow().carriedOut(false));
    Disruption.Limits last = committed.limits();
    Instant force = wanted.forceAt().isBefore(last.forceAt()) ? wanted.forceAt() : last.forceAt();
    Optional<Instant> stop =
        Stream.concat(last.stopAt().stream(), wanted.stopAt().stream()).min(Instant::compareTo);
    Disruption.Committed next =
        committed.with(
            committed.causesAnd(joined), new Disruption.Limits(last.ending(), force, stop));
    return new PlannedAction(
        change.announced(joined),
        record(
            next,
            node.removing().isPresent()
                ? Optional.empty()
                : Optional.of(subject.drain(subject.pods(), next.limits(), now, settings).says()),
            DisruptionMarks.labelled(MetadataChange.NONE, joined)),
        joined.getFirst().text());
  }

  /** When the drain begins whose progress is announced; empty if none is demanded. */
  Optional<Instant> progressAt() {
    return demands.progressAt();
  }

  /** The progress of the drain that is due and was not announced; empty if there is none. */
  Optional<DrainProgress> unannounced(Disruption.Committed committed) {
    return DrainProgress.of(node, subject.pool(), committed)
        .filter(progress -> !progress.isShown(node))
        .filter(_ -> progressAt().filter(at -> !now.isBefore(at)).isPresent());
  }
}
