package io.nodepool.plan.node;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodeChange.Cordoning;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The writes that admit a disruption of a Node, change its causes, or withdraw it. Each changes the
 * record together with the cordon, its reason and the labels, on the version of the Node that was
 * observed. Events precede the write and are named after the number of the disruption and its
 * cause, so a write that is retried after a crash has the same Events.
 */
public final class DisruptionChange {
  private static final String UNCORDONED = "another client uncordoned it";

  private final Node node;
  private final PoolId pool;
  private final DisruptionMarks marks;

  /** Changes of the disruption of this Node of this pool. */
  public DisruptionChange(Node node, PoolId pool) {
    this.node = node;
    this.pool = pool;
    this.marks = new DisruptionMarks(node);
  }

  /**
   * Demands a disruption for a cause that the pool's plan decides about: admits it, or adds the
   * cause to the disruption under way, if that may be withdrawn, in place of other causes of the
   * pool's size.
   */
  public PlannedAction demand(KnownCause what, Instant now) {
    Disruption.Cause cause = what.at(now);
    return node.disruption()
        .flatMap(Disruption::active)
        .filter(Disruption.Active::isRevocable)
        .map(last ->
            update(
                last.withCauses(
                    Stream.concat(last.causesNotOfSize().stream(), Stream.of(cause)).toList()),
                last,
                cause.text()))
        .orElseGet(() -> admit(List.of(cause)));
  }

  /** Admits a disruption for these causes. The Node is cordoned unless it is already. */
  PlannedAction admit(List<Disruption.Cause> causes) {
    boolean cordon = !node.cordoned();
    int sequence = node.disruption().map(Disruption::sequence).orElse(0) + 1;
    boolean requested =
        causes.stream().anyMatch(cause -> cause.what().isRemovalRequest())
            || node.disruption().filter(Disruption::isRequested).isPresent();
    Disruption.Admitted next =
        new Disruption.Admitted(
            sequence,
            causes,
            cordon ? Disruption.Cordon.OURS : Disruption.Cordon.FOREIGN,
            new Disruption.Notes(Instant.MIN, requested));
    List<EventDraft> eventDrafts = new ArrayList<>(announced(next.causes()));
    if (cordon) {
      eventDrafts.add(
          eventDraft(
              EventReason.NODE_CORDONED,
              number(next),
              "Node %s is cordoned: %s.".formatted(node.name(), cordoned(next))));
    }
    chosen(next, next.causes()).ifPresent(eventDrafts::add);
    return new PlannedAction(
        eventDrafts,
        record(
            NodePurpose.ADMIT,
            Optional.of(next),
            cordon ? Cordoning.CORDON : Cordoning.KEEP,
            marks.of(next)),
        next.text());
  }

  private String cordoned(Disruption.Active next) {
    return next.causes().stream()
        .filter(Disruption.Cause::leaves)
        .min(Comparator.comparing(cause -> cause.rule().countsAs()))
        .map(cause -> KnownCause.of(cause).cordonText(pool))
        .orElseGet(next::text);
  }

  /** Changes the causes of a disruption that may be withdrawn, or what is remembered with it. */
  PlannedAction update(Disruption.Active next, Disruption.Active last, String why) {
    List<Disruption.Cause> joined = last.newAmong(next.causes());
    List<EventDraft> eventDrafts = new ArrayList<>(announced(joined));
    chosen(next, joined).ifPresent(eventDrafts::add);
    return new PlannedAction(
        eventDrafts,
        record(
            NodePurpose.UPDATE,
            Optional.of(next),
            Cordoning.KEEP,
            marks.withoutPolicy(marks.of(next), next.newAmong(last.causes()))),
        why);
  }

  /** Shows on a Node that the drain for a cause is in progress, with the Event of that. */
  PlannedAction label(Disruption.Active active, DrainProgress progress, Instant now) {
    return new PlannedAction(
        List.of(progress.eventDraft()),
        record(
            NodePurpose.UPDATE,
            Optional.of(active),
            Cordoning.KEEP,
            MetadataChange.NONE.withLabel(
                progress.label().key(), Optional.of(DrainProgress.labelText(now)))),
        "its %s is in progress".formatted(progress.cause().word().toLowerCase(Locale.ROOT)));
  }

  /**
   * Cordons the Node of an admitted disruption again; the cordon is ours from now on. A request for
   * a reboot that its uncordoning ended is taken off with that.
   */
  PlannedAction cordonAgain(Disruption.Admitted remaining, Disruption.Admitted last) {
    Disruption.Admitted next = remaining.withCordon(Disruption.Cordon.OURS);
    MetadataChange with = marks.of(next);
    boolean ended = next.causes().stream().allMatch(Disruption.Cause::leaves);
    return PlannedAction.quiet(
        record(
            NodePurpose.CORDON_AGAIN,
            Optional.of(next),
            Cordoning.CORDON,
            ended ? marks.withoutRequest(with, last) : with),
        UNCORDONED);
  }

  /**
   * Cordons the Node of a committed disruption again, and answers who uncordoned it; the cordon is
   * ours from now on, and ends with the disruption.
   */
  PlannedAction cordonAgain(Disruption.Committed last) {
    Disruption.Committed next = last.withCordon(Disruption.Cordon.OURS);
    EventDraft answer =
        eventDraft(
            EventReason.NODE_REQUEST_REFUSED,
            number(last) + "/uncordoned",
            last.isLeaving()
                ? "Node %s was uncordoned after its drain began: the drain goes on, and the Node is cordoned again."
                    .formatted(node.name())
                : "Node %s was uncordoned after %s was committed: that goes on, and the Node is cordoned again until it is back."
                    .formatted(node.name(), RebootRequest.stateOf(last.causes()).word()));
    return new PlannedAction(
        List.of(answer),
        write(
            NodePrecondition.recordUnchanged(node, last),
            NodePurpose.CORDON_AGAIN,
            Optional.of(next),
            Cordoning.CORDON,
            marks.of(next)),
        UNCORDONED);
  }

  /**
   * Withdraws the causes of the pool's size from a disruption, and the disruption if no cause is
   * left. The pool may choose the Node again at once.
   */
  public PlannedAction withdraw(Disruption.Active last, Instant now, String why) {
    return keep(last, last.causesNotOfSize(), now, now, why);
  }

  /**
   * Withdraws the turn in a rollout, and the disruption if no other cause is left. The pool may
   * choose the Node again at once.
   */
  public PlannedAction withdrawTurn(Disruption.Admitted last, Instant now, String why) {
    List<Disruption.Cause> left =
        last.causes().stream().filter(cause -> cause.what().turn().isEmpty()).toList();
    return keep(last, left, now, now, why);
  }

  /**
   * Withdraws the other causes of a disruption that may be withdrawn, and the disruption if none is
   * left.
   *
   * @param until when the pool may choose the Node again
   */
  PlannedAction keep(
      Disruption.Active last, List<Disruption.Cause> left, Instant now, Instant until, String why) {
    return switch (last) {
      case Disruption.Admitted admitted ->
          left.isEmpty()
              ? withdraw(admitted, now, until, why)
              : update(admitted.withCauses(left).withPassedOver(until), last, why);
      case Disruption.Committed committed -> update(committed.withCauses(left), last, why);
    };
  }

  /** Withdraws an admitted disruption, and the cordon that was set with it. */
  PlannedAction withdraw(Disruption.Admitted last, Instant now, Instant until, String why) {
    MetadataChange without =
        DisruptionMarks.unlabelled(marks.withoutPolicy(marks.released(last), last.causes()));
    return new PlannedAction(
        uncordoned(last, "stays in NodePool %s: %s".formatted(pool.name(), why)),
        record(
            NodePurpose.WITHDRAW,
            Optional.of(last.withdrawn(now, until)),
            marks.uncordoning(last),
            without),
        why);
  }

  /**
   * Ends a drain that is taken back, with the cordon that was set with it.
   *
   * @param until when the pool may choose the Node again
   */
  PlannedAction release(Disruption.Committed last, Instant now, Instant until, String why) {
    return new PlannedAction(
        uncordoned(last, "stays in NodePool %s: %s".formatted(pool.name(), why)),
        record(
            NodePurpose.WITHDRAW,
            Optional.of(last.ended(now, until)),
            marks.uncordoning(last),
            marks.released(last)),
        why);
  }

  /**
   * Withdraws an admitted disruption because a person uncordoned the Node, with the request for it:
   * that ends the action, and not only the cordon (decision D69).
   */
  PlannedAction cancel(Disruption.Admitted last, Instant now, Instant until, String why) {
    MetadataChange without =
        DisruptionMarks.unlabelled(marks.withoutRequest(marks.released(last), last));
    return new PlannedAction(
        List.of(),
        record(
            NodePurpose.WITHDRAW,
            Optional.of(last.withdrawn(now, until)),
            marks.uncordoning(last),
            without),
        why);
  }

  /**
   * Ends a disruption whose machine was rebooted and verified: the Node is back in production, and
   * what requested it is gone.
   *
   * @param next what stays on record
   * @param events the Events that announce it
   */
  PlannedAction end(
      Disruption.PassedOver next, Disruption.Committed last, List<EventDraft> events, String why) {
    MetadataChange without =
        marks
            .withoutRequest(marks.released(last), last)
            .withLabel(NodeLabels.STATE.key(), Optional.of(LifecycleState.PRODUCTION.word()));
    return new PlannedAction(
        Stream.concat(events.stream(), uncordoned(last, "is back in production").stream()).toList(),
        record(NodePurpose.END, Optional.of(next), marks.uncordoning(last), without),
        why);
  }

  /** Sets the state that the Node is in while its machine is rebooted. */
  PlannedAction state(Disruption.Committed committed, LifecycleState state) {
    return new PlannedAction(
        rebooting(committed),
        record(
            NodePurpose.UPDATE,
            Optional.of(committed),
            Cordoning.KEEP,
            MetadataChange.NONE.withLabel(NodeLabels.STATE.key(), Optional.of(state.word()))),
        "it is drained for its reboot");
  }

  /** The Event that the machine is rebooted now. */
  List<EventDraft> rebooting(Disruption.Committed committed) {
    return List.of(
        eventDraft(
            EventReason.NODE_REBOOTING,
            number(committed),
            "Node %s is idle and goes into state %s: %s."
                .formatted(
                    node.name(),
                    RebootRequest.stateOf(committed.causes()).word(),
                    committed.text())));
  }

  private List<EventDraft> uncordoned(Disruption.Active last, String what) {
    return marks.uncordoning(last) == Cordoning.UNCORDON
        ? List.of(
            eventDraft(
                EventReason.NODE_UNCORDONED,
                number(last),
                "Node %s is uncordoned and %s.".formatted(node.name(), what)))
        : List.of();
  }

  /** Records that a client asked for the removal, or drops that again. */
  Action note(NodePurpose purpose, Optional<Disruption> next) {
    return record(purpose, next, Cordoning.KEEP, MetadataChange.NONE);
  }

  private Action record(
      NodePurpose purpose, Optional<Disruption> next, Cordoning cordoning, MetadataChange with) {
    return write(NodePrecondition.unchanged(node), purpose, next, cordoning, with);
  }

  private Action write(
      NodePrecondition precondition,
      NodePurpose purpose,
      Optional<Disruption> next,
      Cordoning cordoning,
      MetadataChange with) {
    MetadataChange change = with.on(node.metadata().labels(), node.metadata().annotations());
    return Action.WriteNode.of(
        node, precondition, new NodeChange.OfSpec(change.recording(next), cordoning), purpose);
  }

  /** The Event that the Node is marked, for its causes that count as a removal. */
  private Optional<EventDraft> chosen(Disruption.Active next, List<Disruption.Cause> joined) {
    return joined.stream()
        .filter(cause -> cause.rule().countsAs() == CauseRule.CountsAs.REMOVAL)
        .findFirst()
        .map(cause ->
            eventDraft(
                EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE,
                number(next) + "/" + cause.what().word(),
                "Node %s is to leave NodePool %s: %s."
                    .formatted(node.name(), pool.name(), cause.text())));
  }

  /**
   * The Events of a drain that begins; none if no Pod is left. If its deadline has passed already,
   * its commitment is also the report of the use of force.
   */
  List<EventDraft> drains(Disruption.Committed next, Drain drain) {
    if (drain.isDone()) {
      return List.of();
    }
    EventDraft drained =
        eventDraft(
            EventReason.NODE_DRAINING,
            number(next),
            "Node %s is being drained: %s.".formatted(node.name(), drain.left()));
    Node.Removing says = drain.says();
    return says.reason() == NodeRemovalReason.FORCED
        ? List.of(
            drained,
            eventDraft(EventReason.NODE_DRAINING_FORCE_DELETE, number(next), says.message()))
        : List.of(drained);
  }

  /** What names the Events of a disruption. */
  static String number(Disruption.Active active) {
    return "disruption " + active.sequence();
  }

  /** The Events of their own that announce these causes. */
  List<EventDraft> announced(List<Disruption.Cause> causes) {
    return causes.stream()
        .flatMap(cause -> KnownCause.of(cause).announced(node, pool).stream())
        .toList();
  }

  /** An Event about the Node. */
  EventDraft eventDraft(EventReason reason, String occasion, String message) {
    return new EventDraft(reason, EventDraft.Regarding.of(node), occasion, message, 1);
  }
}
