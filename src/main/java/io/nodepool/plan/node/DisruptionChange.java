package io.nodepool.plan.node;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.DisruptionMarks;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.DisruptionCause;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The writes that admit a disruption of a Node, change its causes, or withdraw it. Each changes the
 * record together with the cordon, its reason and the labels, on the version of the Node that was
 * observed. Events precede the write and are named after the number of the disruption and its
 * cause, so a write that is retried after a crash has the same Events.
 */
public final class DisruptionChange {
  /** The value of the label of a Node that is preempted (seed 004). */
  static final String PREEMPTION_IS_PENDING = "true";

  private final Node node;
  private final PoolId pool;

  /** Changes of the disruption of this Node of this pool. */
  public DisruptionChange(Node node, PoolId pool) {
    this.node = node;
    this.pool = pool;
  }

  /**
   * Demands a disruption for a cause that the pool's plan decides about: admits it, or adds the
   * cause to the disruption under way in place of other causes of the pool's size.
   *
   * @param reference what distinguishes this occurrence of the cause
   */
  public PlannedAction demand(DisruptionCause what, String reference, Instant now) {
    Disruption.Cause cause = new Disruption.Cause(what, reference, now);
    return node.disruption().orElse(null) instanceof Disruption.Admitted last
        ? update(
            last.withCauses(
                Stream.concat(last.causesNotOfSize().stream(), Stream.of(cause)).toList()),
            last,
            cause.text())
        : admit(List.of(cause));
  }

  /** Admits a disruption for these causes. The Node is cordoned unless it is already. */
  PlannedAction admit(List<Disruption.Cause> causes) {
    boolean cordon = !node.cordoned();
    int sequence = node.disruption().map(Disruption::sequence).orElse(0) + 1;
    boolean requested =
        causes.stream().anyMatch(Disruption.Cause::isRequest)
            || node.disruption().filter(Disruption::isRequested).isPresent();
    Disruption.Admitted next =
        new Disruption.Admitted(
            sequence,
            causes,
            cordon ? Disruption.Cordon.OURS : Disruption.Cordon.FOREIGN,
            new Disruption.Notes(Instant.MIN, requested));
    List<EventDraft> eventDrafts = new ArrayList<>(pending(next.causes()));
    if (cordon) {
      eventDrafts.add(
          eventDraft(
              EventReason.NODE_CORDONED,
              number(next),
              next.hasOnly(DisruptionCause.PREEMPTION)
                  ? "Node %s is cordoned: it is preempted.".formatted(node.name())
                  : "Node %s is cordoned: it is to leave NodePool %s."
                      .formatted(node.name(), pool.name())));
    }
    chosen(next, next.causes()).ifPresent(eventDrafts::add);
    DisruptionMarks marks =
        cordon ? DisruptionMarks.NONE.with(DisruptionMarks.Cordoning.CORDON) : DisruptionMarks.NONE;
    return new PlannedAction(
        eventDrafts,
        record(Action.Change.ADMIT, Optional.of(next), marks(marks, next)),
        next.text());
  }

  /** Changes the causes of an admitted disruption, or what is remembered with it. */
  PlannedAction update(Disruption.Admitted next, Disruption.Admitted last, String why) {
    List<Disruption.Cause> joined =
        next.causes().stream()
            .filter(cause -> last.causes().stream().noneMatch(cause::isSame))
            .toList();
    List<EventDraft> eventDrafts = new ArrayList<>(pending(joined));
    chosen(next, joined).ifPresent(eventDrafts::add);
    return new PlannedAction(
        eventDrafts,
        record(Action.Change.UPDATE, Optional.of(next), marks(DisruptionMarks.NONE, next)),
        why);
  }

  /** Adds a label to a disruption under way, with the Event that announces it. */
  PlannedAction label(
      Disruption.Active active, NodeLabels label, String value, EventDraft eventDraft, String why) {
    return new PlannedAction(
        List.of(eventDraft),
        record(
            Action.Change.UPDATE,
            Optional.of(active),
            DisruptionMarks.NONE.withLabel(label.key(), Optional.of(value))),
        why);
  }

  /** Cordons the Node again; the cordon is ours from now on. */
  PlannedAction cordonAgain(Disruption.Active next) {
    return PlannedAction.quiet(
        record(
            Action.Change.CORDON_AGAIN,
            Optional.of(next),
            marks(DisruptionMarks.NONE.with(DisruptionMarks.Cordoning.CORDON), next)),
        "another client uncordoned it");
  }

  /**
   * Withdraws the causes of the pool's size from an admitted disruption, and the disruption if no
   * cause is left. The pool may choose the Node again at once.
   */
  public PlannedAction withdraw(Disruption.Admitted last, Instant now, String why) {
    return keep(last, last.causesNotOfSize(), now, now, why);
  }

  /**
   * Withdraws the other causes of an admitted disruption, and the disruption if none is left.
   *
   * @param until when the pool may choose the Node again
   */
  PlannedAction keep(
      Disruption.Admitted last,
      List<Disruption.Cause> left,
      Instant now,
      Instant until,
      String why) {
    return left.isEmpty()
        ? withdraw(last, now, until, why)
        : update(last.withCauses(left).withPassedOver(until), last, why);
  }

  /** Withdraws an admitted disruption, and the cordon that was set with it. */
  PlannedAction withdraw(Disruption.Admitted last, Instant now, Instant until, String why) {
    boolean uncordon = last.cordon() == Disruption.Cordon.OURS && node.cordoned();
    List<EventDraft> eventDrafts =
        uncordon
            ? List.of(
                eventDraft(
                    EventReason.NODE_UNCORDONED,
                    number(last),
                    "Node %s is uncordoned and stays in NodePool %s: %s."
                        .formatted(node.name(), pool.name(), why)))
            : List.of();
    DisruptionMarks marks =
        uncordon
            ? DisruptionMarks.NONE.with(DisruptionMarks.Cordoning.UNCORDON)
            : DisruptionMarks.NONE;
    boolean ourReason =
        last.words().equals(node.metadata().annotations().get(NodeAnnotations.CORDON_REASON.key()));
    DisruptionMarks cleared =
        marks.withLabel(NodeLabels.PENDING_PREEMPTION.key(), Optional.empty());
    return new PlannedAction(
        eventDrafts,
        record(
            Action.Change.WITHDRAW,
            Optional.of(last.withdrawn(now, until)),
            ourReason
                ? cleared.withAnnotation(NodeAnnotations.CORDON_REASON.key(), Optional.empty())
                : cleared),
        why);
  }

  /** Records that a client asked for the removal, or drops that again. */
  Action note(Action.Change change, Optional<Disruption> next) {
    return record(change, next, DisruptionMarks.NONE);
  }

  private Action record(Action.Change change, Optional<Disruption> next, DisruptionMarks marks) {
    return new Action.RecordDisruption(
        node.name(),
        node.uid(),
        node.version(),
        change,
        next,
        marks.on(node.metadata().labels(), node.metadata().annotations()));
  }

  /** The reason of our cordon, and the label of a preemption. */
  private static DisruptionMarks marks(DisruptionMarks marks, Disruption.Active next) {
    DisruptionMarks labelled =
        marks.withLabel(
            NodeLabels.PENDING_PREEMPTION.key(),
            next.has(DisruptionCause.PREEMPTION)
                ? Optional.of(PREEMPTION_IS_PENDING)
                : Optional.empty());
    return next.cordon() == Disruption.Cordon.OURS
        ? labelled.withAnnotation(NodeAnnotations.CORDON_REASON.key(), Optional.of(next.words()))
        : labelled;
  }

  private static boolean isPreemption(Disruption.Cause cause) {
    return cause.what() == DisruptionCause.PREEMPTION;
  }

  /** The Event that the Node is marked, for its causes other than preemption. */
  private Optional<EventDraft> chosen(Disruption.Active next, List<Disruption.Cause> joined) {
    return joined.stream()
        .filter(cause -> !isPreemption(cause))
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

  private static String number(Disruption.Active active) {
    return "disruption " + active.sequence();
  }

  /** The Events that the preemptions among these causes are announced (seed 004). */
  List<EventDraft> pending(List<Disruption.Cause> causes) {
    return causes.stream()
        .filter(DisruptionChange::isPreemption)
        .map(cause ->
            eventDraft(
                EventReason.PREEMPTION_PENDING,
                occasion(cause),
                "Node %s of NodePool %s will be preempted: its machine is reclaimed. No new Pods are scheduled to it."
                    .formatted(node.name(), pool.name())))
        .toList();
  }

  /** What names the Events of a preemption. */
  static String occasion(Disruption.Cause cause) {
    return "preemption " + cause.reference();
  }

  /** An Event about the Node. */
  EventDraft eventDraft(EventReason reason, String occasion, String message) {
    return new EventDraft(
        reason,
        new EventDraft.Regarding(EventDraft.Kind.NODE, node.name(), node.uid()),
        occasion,
        message,
        1);
  }
}
