package io.nodepool.plan.node;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionNotes;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodeChange.Cordoning;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.plan.metadata.DisruptionMetadata;
import io.nodepool.plan.metadata.Metadata;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The record of a Node's disruption, and the writes that change it. Each write changes the record
 * together with the cordon, its reason and the labels, or with the conditions, on the observed
 * version of the Node. Events precede the write.
 */
public final class NodeRecord {
  private final Node node;
  private final DisruptionEvents events;
  private final DisruptionMetadata metadata;

  /** The organization that the fleet's Nodes are for; empty text if it is not known. */
  private final String organization;

  /** The record of this Node, whose machine this pool holds. */
  public NodeRecord(Node node, PoolId pool) {
    this(node, new DisruptionEvents(node, pool, true), "");
  }

  NodeRecord(Node node, DisruptionEvents events, String organization) {
    this.node = node;
    this.events = events;
    this.metadata = new DisruptionMetadata(node);
    this.organization = organization;
  }

  /**
   * Demands a disruption for a cause that the pool's plan decides about: admits it, or adds the
   * cause to the disruption under way, if that may be withdrawn, in place of other causes of the
   * pool's size.
   */
  public PlannedAction demand(KnownCause what, Instant now) {
    return demand(List.of(what), now);
  }

  /** Demands a disruption for these causes; at least one. */
  public PlannedAction demand(List<? extends KnownCause> what, Instant now) {
    List<Disruption.Cause> causes = what.stream().map(each -> each.at(now)).toList();
    return node.activeDisruption()
        .filter(Disruption.Active::isRevocable)
        .map(last ->
            update(
                last,
                last.withCauses(
                    Stream.concat(last.causesNotOfSize().stream(), causes.stream()).toList()),
                causes.getFirst().text()))
        .orElseGet(() -> admit(causes));
  }

  /** Withdraws the causes of the pool's size. The pool may choose the Node again at once. */
  public PlannedAction withdraw(Disruption.Active last, Instant now, String why) {
    return left(last, last.causesNotOfSize(), now, now, why);
  }

  /** Withdraws the turn in a rollout. The pool may choose the Node again at once. */
  public PlannedAction withdrawTurn(Disruption.Admitted last, Instant now, String why) {
    List<Disruption.Cause> left =
        last.causes().stream().filter(cause -> cause.what().turn().isEmpty()).toList();
    return left(last, left, now, now, why);
  }

  /** A disruption is admitted for these causes: the Node is cordoned unless it is already. */
  PlannedAction admit(List<Disruption.Cause> causes) {
    boolean requested =
        causes.stream().anyMatch(cause -> cause.what().isRemovalRequest())
            || node.disruption().filter(Disruption::isRequested).isPresent();
    Disruption.Admitted next =
        new Disruption.Admitted(
            node.disruption().map(Disruption::sequence).orElse(0) + 1,
            causes,
            node.cordoned() ? Disruption.Cordon.FOREIGN : Disruption.Cordon.OURS,
            new DisruptionNotes(Instant.MIN, requested));
    return chosen(NodePurpose.ADMIT, next, next.causes(), List.of(), next.text());
  }

  /** Causes join or withdraw, and others stay; a drain that only withdrawn causes demanded ends. */
  PlannedAction update(Disruption.Active last, Disruption.Active next, String why) {
    return chosen(
        NodePurpose.UPDATE, next, last.newAmong(next.causes()), next.newAmong(last.causes()), why);
  }

  /**
   * These causes of a disruption are left; it is withdrawn if there are none.
   *
   * @param until until when the Node is not chosen again; {@link Instant#MIN} if it may be at once
   */
  PlannedAction left(
      Disruption.Active last, List<Disruption.Cause> left, Instant now, Instant until, String why) {
    return left.isEmpty()
        ? withdraw(last, last.ended(now, until.isAfter(now) ? until : now), false, why)
        : update(last, last.withCauses(left).withPassedOver(until), why);
  }

  /** The Node shows that the drain for a cause is in progress. */
  PlannedAction show(Disruption.Committed last, DrainProgress progress) {
    return new PlannedAction(
        List.of(progress.eventDraft()),
        record(
            NodePurpose.UPDATE,
            change(Optional.of(last), Cordoning.KEEP, progress.on(MetadataChange.NONE))),
        "its %s is in progress".formatted(progress.cause().word().toLowerCase(Locale.ROOT)));
  }

  /**
   * The Node enters the state of its reboot.
   *
   * @param cutOff how many Pods are left on it, which end with its boot
   */
  PlannedAction enter(Disruption.Committed last, int cutOff) {
    return entered(
        NodePurpose.UPDATE, last, cutOff, MetadataChange.NONE, "it is drained for its reboot");
  }

  /** The write that brings the Node into the state of its reboot, with its taint. */
  private PlannedAction entered(
      NodePurpose purpose, Disruption.Committed next, int cutOff, MetadataChange with, String why) {
    return inState(
            purpose, next, next, RebootRequest.stateOf(next.causes()), with, Cordoning.KEEP, why)
        .after(
            List.of(
                events.ofNode(
                    EventReason.NODE_REBOOTING, next, RebootRequest.entered(node, next, cutOff))));
  }

  /**
   * The write that brings a Node into a state: its labels, the record and the taint of its
   * reservation change together.
   *
   * @param of the disruption that it belongs to
   * @param next the new record
   */
  private PlannedAction inState(
      NodePurpose purpose,
      Disruption.Active of,
      Disruption next,
      LifecycleState state,
      MetadataChange with,
      Cordoning cordoning,
      String why) {
    NodeChange.OfSpec change =
        metadata.inState(
            with.recording(Optional.of(next)),
            cordoning,
            state,
            events.pool().name(),
            organization);
    return new PlannedAction(
        Metadata.ofState(node, DisruptionEvents.number(of), state, change.taints()),
        record(purpose, change),
        why);
  }

  /** The machine did not come back; the Node waits until it may leave, or its machine is back. */
  PlannedAction lose(Disruption.Committed last, String why) {
    return PlannedAction.quiet(
        record(
            NodePurpose.LOSE,
            change(Optional.of(last), Cordoning.KEEP, DisruptionMetadata.lost(last))),
        why);
  }

  /** Records a client's request for the removal, or removes that record. */
  Action note(NodePurpose purpose, Optional<Disruption> next) {
    return record(purpose, change(next, Cordoning.KEEP, MetadataChange.NONE));
  }

  /** The disruption with the causes that join it and without those that left it. */
  private PlannedAction chosen(
      NodePurpose purpose,
      Disruption.Active next,
      List<Disruption.Cause> joined,
      List<Disruption.Cause> left,
      String why) {
    boolean cordons = purpose == NodePurpose.ADMIT && !node.cordoned();
    List<EventDraft> said = new ArrayList<>(events.announced(joined));
    if (cordons) {
      said.addAll(events.cordoned(next));
    }
    events.marked(next, joined).forEach(said::add);
    return new PlannedAction(
        said,
        record(
            purpose,
            change(
                Optional.of(next),
                cordons ? Cordoning.CORDON : Cordoning.KEEP,
                metadata.withoutPolicy(metadata.of(next), left))),
        why);
  }

  /**
   * The Node is cordoned again for the causes that are left, because another client uncordoned it.
   * The cordon now belongs to the operator and ends with the disruption. A reboot request that the
   * uncordoning ended is removed. If the disruption is committed, an Event answers the client.
   */
  PlannedAction cordonAgain(Disruption.Active last, Disruption.Active left) {
    Disruption.Active next = left.withCordon(Disruption.Cordon.OURS);
    boolean committed = last instanceof Disruption.Committed;
    MetadataChange with = metadata.withoutRequests(metadata.of(next), next.newAmong(last.causes()));
    return new PlannedAction(
        events.cordonedAgain(last, next),
        Action.WriteNode.of(
            node,
            committed
                ? NodePrecondition.recordUnchanged(node, last)
                : NodePrecondition.unchanged(node),
            change(Optional.of(next), Cordoning.CORDON, with),
            NodePurpose.CORDON_AGAIN),
        "another client uncordoned it");
  }

  /** The disruption is committed to this drain; a committed reboot is raised. */
  PlannedAction commit(Disruption.Committed next, Drain drain, Optional<DrainProgress> progress) {
    List<EventDraft> said = new ArrayList<>();
    List<ConditionChange> changes = new ArrayList<>();
    // The policy of the request is used up with this.
    MetadataChange with = metadata.withoutPolicy(metadata.reason(next), next.causes());
    if (next.isLeaving()) {
      changes.add(ConditionChange.removal(node, Optional.of(drain.report())));
      next.causes().forEach(cause -> changes.addAll(KnownCause.of(cause).conditions(node)));
    } else if (drain.isDone()) {
      return entered(
          NodePurpose.COMMIT, next, NodeDeletion.cutOff(drain.pods()), with, next.text());
    }
    if (progress.isPresent()) {
      said.add(progress.get().eventDraft());
      with = progress.get().on(with);
    }
    said.addAll(events.committed(next, drain));
    return new PlannedAction(
        said,
        record(
            NodePurpose.COMMIT,
            new NodeChange.OfStatus(with.recording(Optional.of(next)), changes)),
        next.text());
  }

  /**
   * Causes join the disruption of a Node that already leaves, and their instants tighten its drain.
   * The write does not repeat CWNodeRemoval, which may be old: the next plan reports new instants.
   */
  PlannedAction tighten(Disruption.Committed last, Disruption.Committed next, Drain drain) {
    List<Disruption.Cause> joined = last.newAmong(next.causes());
    List<ConditionChange> changes =
        node.removing().isPresent()
            ? List.of()
            : List.of(ConditionChange.removal(node, Optional.of(drain.report())));
    MetadataChange with =
        DisruptionMetadata.labelled(MetadataChange.NONE, joined).recording(Optional.of(next));
    return new PlannedAction(
        events.announced(joined),
        record(NodePurpose.COMMIT, new NodeChange.OfStatus(with, changes)),
        joined.getFirst().text());
  }

  /**
   * The drain has reached a later stage than is recorded.
   *
   * @param isShown whether the Node shows it in CWNodeRemoval, because it leaves
   */
  PlannedAction drained(Disruption.Committed last, Drain drain, boolean isShown) {
    List<ConditionChange> changes =
        isShown ? List.of(ConditionChange.removal(node, Optional.of(drain.report()))) : List.of();
    return new PlannedAction(
        events.drain(last, drain),
        record(
            NodePurpose.UPDATE,
            new NodeChange.OfStatus(
                MetadataChange.NONE.recording(Optional.of(last.withDrain(drain.stage()))),
                changes)),
        drain.report().reason().meaning());
  }

  /**
   * The disruption ends without effect: the Node is passed over, for no time or for some.
   *
   * @param cancelled whether a person ended it, and with it the request for it (decision D69)
   */
  PlannedAction withdraw(
      Disruption.Active last, Disruption.PassedOver next, boolean cancelled, String why) {
    MetadataChange with =
        switch (last) {
          case Disruption.Admitted admitted -> metadata.withdrawn(admitted, cancelled);
          case Disruption.Committed _ -> metadata.released(last);
        };
    String what = "stays in NodePool %s: %s".formatted(events.pool().name(), why);
    return new PlannedAction(
        cancelled ? events.cancelled(last) : uncordoned(last, what),
        record(NodePurpose.WITHDRAW, change(Optional.of(next), metadata.uncordoning(last), with)),
        why);
  }

  /** The machine was rebooted, or the request failed: the Node is back in production. */
  PlannedAction end(
      Disruption.Committed last, Disruption.PassedOver next, EventDraft announced, String why) {
    return inState(
            NodePurpose.END,
            last,
            next,
            LifecycleState.PRODUCTION,
            metadata.withoutRequests(metadata.released(last), last.causes()),
            metadata.uncordoning(last),
            why)
        .after(uncordoned(last, "is back in production"))
        .after(List.of(announced));
  }

  private List<EventDraft> uncordoned(Disruption.Active last, String what) {
    return metadata.uncordoning(last) == Cordoning.UNCORDON
        ? events.uncordoned(last, what)
        : List.of();
  }

  private NodeChange change(Optional<Disruption> next, Cordoning cordoning, MetadataChange with) {
    return new NodeChange.OfSpec(
        with.on(node.metadata().labels(), node.metadata().annotations()).recording(next),
        cordoning);
  }

  private Action record(NodePurpose purpose, NodeChange change) {
    return Action.WriteNode.of(node, NodePrecondition.unchanged(node), change, purpose);
  }
}
