package io.nodepool.plan.node;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodeChange.Cordoning;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.plan.metadata.DisruptionMetadata;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The record of a Node's disruption, and the writes that change it. Each changes the record
 * together with what belongs to it: the cordon, its reason and the labels, or the conditions; on
 * the version of the Node that was observed. Events precede the write.
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

  /** The Events about it. */
  DisruptionEvents events() {
    return events;
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
    return write(
        node.disruption()
            .flatMap(Disruption::active)
            .filter(Disruption.Active::isRevocable)
            .<RecordChange.Written>map(last ->
                new RecordChange.Update(
                    last,
                    last.withCauses(
                        Stream.concat(last.causesNotOfSize().stream(), causes.stream()).toList()),
                    causes.getFirst().text()))
            .orElseGet(() -> RecordChange.admitted(node, causes)));
  }

  /** Withdraws the causes of the pool's size. The pool may choose the Node again at once. */
  public PlannedAction withdraw(Disruption.Active last, Instant now, String why) {
    return write(RecordChange.left(last, last.causesNotOfSize(), now, now, why));
  }

  /** Withdraws the turn in a rollout. The pool may choose the Node again at once. */
  public PlannedAction withdrawTurn(Disruption.Admitted last, Instant now, String why) {
    List<Disruption.Cause> left =
        last.causes().stream().filter(cause -> cause.what().turn().isEmpty()).toList();
    return write(RecordChange.left(last, left, now, now, why));
  }

  /** The plan of this change alone. */
  MachinePlan plan(RecordChange change) {
    return switch (change) {
      case RecordChange.Keep(Optional<Instant> until) -> MachinePlan.NOTHING.or(until);
      case RecordChange.Pause(Instant until) -> MachinePlan.waiting(until);
      case RecordChange.First(PlannedAction action) -> MachinePlan.of(action);
      case RecordChange.Written written -> MachinePlan.of(write(written));
    };
  }

  /** What is written for this change, and the Events that precede it. */
  PlannedAction write(RecordChange.Written change) {
    return switch (change) {
      case RecordChange.Admit(Disruption.Admitted next) ->
          chosen(NodePurpose.ADMIT, next, next.causes(), List.of(), next.text());
      case RecordChange.Update(Disruption.Active last, Disruption.Active next, String why) ->
          chosen(
              NodePurpose.UPDATE,
              next,
              last.newAmong(next.causes()),
              next.newAmong(last.causes()),
              why);
      case RecordChange.CordonAgain(Disruption.Active last, Disruption.Active next) ->
          cordonAgain(last, next.withCordon(Disruption.Cordon.OURS));
      case RecordChange.Commit commit -> commit(commit);
      case RecordChange.Tighten tighten -> tighten(tighten);
      case RecordChange.Drained drained -> drained(drained);
      case RecordChange.Show(Disruption.Committed last, DrainProgress progress) ->
          shown(
              last,
              progress.eventDraft(),
              progress.on(MetadataChange.NONE),
              "its %s is in progress".formatted(progress.cause().word().toLowerCase(Locale.ROOT)));
      case RecordChange.Enter(Disruption.Committed last, int cutOff) ->
          shown(
              last,
              events.ofNode(
                  EventReason.NODE_REBOOTING, last, RebootRequest.entered(node, last, cutOff)),
              inState(MetadataChange.NONE, RebootRequest.stateOf(last.causes())),
              "it is drained for its reboot");
      case RecordChange.Lose(Disruption.Committed last, String why) ->
          PlannedAction.quiet(
              record(
                  NodePurpose.LOSE,
                  change(Optional.of(last), Cordoning.KEEP, DisruptionMetadata.lost(last))),
              why);
      case RecordChange.Withdraw withdraw -> withdraw(withdraw);
      case RecordChange.End end -> end(end);
    };
  }

  /** Records that a client asked for the removal, or drops that again. */
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
   * The cordon, which is ours from now on and ends with the disruption. A request for a reboot that
   * the uncordoning ended is taken off; who uncordons a Node whose disruption is committed is
   * answered.
   */
  private PlannedAction cordonAgain(Disruption.Active last, Disruption.Active next) {
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

  private PlannedAction commit(RecordChange.Commit commit) {
    Disruption.Committed next = commit.next();
    Drain drain = commit.drain();
    List<EventDraft> said = new ArrayList<>();
    List<ConditionChange> changes = new ArrayList<>();
    // The policy of the request is used up with this.
    MetadataChange with = metadata.withoutPolicy(metadata.reason(next), next.causes());
    if (next.isLeaving()) {
      changes.add(ConditionChange.removal(node, Optional.of(drain.report())));
      next.causes().forEach(cause -> changes.addAll(KnownCause.of(cause).conditions(node)));
    } else if (drain.isDone()) {
      LifecycleState state = RebootRequest.stateOf(next.causes());
      String entered = RebootRequest.entered(node, next, drain.cutOff());
      said.add(events.ofNode(EventReason.NODE_REBOOTING, next, entered));
      changes.add(ConditionChange.phase(state.word()));
      with = inState(with, state);
    }
    if (commit.progress().isPresent()) {
      said.add(commit.progress().get().eventDraft());
      with = commit.progress().get().on(with);
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
   * Causes join a drain. The write does not repeat CWNodeRemoval, which may be old: the plan that
   * follows it reports other instants.
   */
  private PlannedAction tighten(RecordChange.Tighten tighten) {
    List<Disruption.Cause> joined = tighten.last().newAmong(tighten.next().causes());
    List<ConditionChange> changes =
        node.removing().isPresent()
            ? List.of()
            : List.of(ConditionChange.removal(node, Optional.of(tighten.drain().report())));
    MetadataChange with =
        DisruptionMetadata.labelled(MetadataChange.NONE, joined)
            .recording(Optional.of(tighten.next()));
    return new PlannedAction(
        events.announced(joined),
        record(NodePurpose.COMMIT, new NodeChange.OfStatus(with, changes)),
        joined.getFirst().text());
  }

  /** The drain has come farther; a Node that leaves says so. */
  private PlannedAction drained(RecordChange.Drained drained) {
    List<ConditionChange> changes =
        drained.shown()
            ? List.of(ConditionChange.removal(node, Optional.of(drained.drain().report())))
            : List.of();
    return new PlannedAction(
        events.drain(drained.last(), drained.drain()),
        record(
            NodePurpose.UPDATE,
            new NodeChange.OfStatus(
                MetadataChange.NONE.recording(Optional.of(drained.next())), changes)),
        drained.drain().report().reason().meaning());
  }

  private PlannedAction shown(
      Disruption.Committed last, EventDraft event, MetadataChange with, String why) {
    return new PlannedAction(
        List.of(event),
        record(NodePurpose.UPDATE, change(Optional.of(last), Cordoning.KEEP, with)),
        why);
  }

  private PlannedAction withdraw(RecordChange.Withdraw withdraw) {
    Disruption.Active last = withdraw.last();
    MetadataChange with =
        switch (last) {
          case Disruption.Admitted admitted -> metadata.withdrawn(admitted, withdraw.cancelled());
          case Disruption.Committed _ -> metadata.released(last);
        };
    String what = "stays in NodePool %s: %s".formatted(events.pool().name(), withdraw.why());
    return new PlannedAction(
        withdraw.cancelled() ? events.cancelled(last) : uncordoned(last, what),
        record(
            NodePurpose.WITHDRAW,
            change(Optional.of(withdraw.next()), metadata.uncordoning(last), with)),
        withdraw.why());
  }

  private MetadataChange inState(MetadataChange change, LifecycleState state) {
    return metadata.inState(change, state, events.pool().name(), organization);
  }

  private PlannedAction end(RecordChange.End end) {
    Disruption.Committed last = end.last();
    MetadataChange with =
        inState(
            metadata.withoutRequests(metadata.released(last), last.causes()),
            LifecycleState.PRODUCTION);
    return new PlannedAction(
            uncordoned(last, "is back in production"),
            record(
                NodePurpose.END, change(Optional.of(end.next()), metadata.uncordoning(last), with)),
            end.why())
        .after(end.events());
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
