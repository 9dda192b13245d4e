package io.nodepool.plan.node;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.node.MachineSnapshot;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.Removal;
import io.nodepool.model.node.Workload;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.RemovalCause;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Removes a chosen Node: after the settle time of its cordon its Pods are listed live. Only if that
 * list shows that the Node may be removed, the Node is drained and its machine stopped. The API
 * server accepts a binding to a cordoned Node, so nothing less shows that the Node is idle.
 */
public final class NodeTermination {
  private final Leaving leaving;
  private final Node node;
  private final PoolId pool;
  private final Instant now;
  private final PlanSettings settings;

  /** The termination of one Node. */
  NodeTermination(Leaving leaving, PoolId pool, Instant now, PlanSettings settings) {
    this.leaving = leaving;
    this.node = leaving.node();
    this.pool = pool;
    this.now = now;
    this.settings = settings;
  }

  /**
   * A Node that is being removed, and the facts that its removal depends on.
   *
   * @param controlPlane names of the Namespaces of its Pods that belong to the control plane
   * @param mayGoBusy whether it may be removed although it has tenant work
   * @param fleetIsKnown whether the fleet can be reached; while it cannot, no removal starts (D13)
   * @param end the last action, once no Pod is left to evict
   */
  record Leaving(
      Node node,
      List<Pod> pods,
      Set<String> controlPlane,
      MachineSnapshot.Evidence evidence,
      boolean mayGoBusy,
      boolean fleetIsKnown,
      Function<Removal.Draining, Action> end) {}

  /** The action that marks the Node for a cause that does not depend on its pool's size. */
  PlannedAction choose(RemovalCause cause) {
    return mark(node, pool, cause, now, cause.word());
  }

  /**
   * The action that marks a chosen Node, and cordons it unless it is already cordoned. Its Events
   * are named after the record that the mark replaces: a mark that is retried after a crash has the
   * same Events, and a mark after a withdrawn one has others.
   *
   * @param why what else distinguishes this choice from others of the same Node
   */
  public static PlannedAction mark(
      Node node, PoolId pool, RemovalCause cause, Instant now, String why) {
    boolean cordon = !node.cordoned();
    String occasion = node.removal().map(last -> why + " after " + last.at()).orElse(why);
    List<EventDraft> eventDrafts = new ArrayList<>();
    if (cordon) {
      eventDrafts.add(
          eventDraft(
              node,
              EventReason.NODE_CORDONED,
              occasion,
              "Node %s is cordoned: it is to leave NodePool %s."
                  .formatted(node.name(), pool.name())));
    }
    eventDrafts.add(
        eventDraft(
            node,
            EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE,
            occasion,
            "Node %s is to leave NodePool %s: %s."
                .formatted(node.name(), pool.name(), cause.text())));
    return new PlannedAction(
        eventDrafts,
        new Action.MarkRemoval(
            node.name(), node.uid(), node.version(), new Removal.Marked(cause, now, cordon)),
        cause.text());
  }

  /** The action that withdraws a mark, and the cordon that was set with it. */
  public static PlannedAction takeBack(
      Node node, PoolId pool, Removal.Marked mark, Instant now, String why) {
    return takeBack(node, pool, mark, now, Duration.ZERO, why);
  }

  /**
   * @param passedOver for how long the Node is not chosen again
   */
  private static PlannedAction takeBack(
      Node node, PoolId pool, Removal.Marked mark, Instant now, Duration passedOver, String why) {
    Removal.PassedOver instead =
        new Removal.PassedOver(now, now.plus(passedOver), mark.cause().isRequest());
    boolean uncordon = mark.ownCordon() && node.cordoned();
    List<EventDraft> eventDrafts =
        uncordon
            ? List.of(
                eventDraft(
                    node,
                    EventReason.NODE_UNCORDONED,
                    mark.at().toString(),
                    "Node %s is uncordoned and stays in NodePool %s: %s."
                        .formatted(node.name(), pool.name(), why)))
            : List.of();
    return new PlannedAction(
        eventDrafts,
        new Action.UnmarkRemoval(
            node.name(), node.uid(), node.version(), uncordon, Optional.of(instead)),
        why);
  }

  private static EventDraft eventDraft(
      Node node, EventReason reason, String occasion, String message) {
    return new EventDraft(
        reason,
        new EventDraft.Regarding(EventDraft.Kind.NODE, node.name(), node.uid()),
        occasion,
        message,
        1);
  }

  /** The next step of a marked Node. */
  MachinePlan settle(Removal.Marked mark) {
    if (!node.cordoned()) {
      return withdraw(
          mark,
          settings.removal().passedOver().multipliedBy(UNCORDONED_FACTOR),
          "somebody uncordoned it");
    }
    if (keeps(NodeActivity.workload(leaving.pods(), leaving.controlPlane()::contains, node, now))) {
      return withdraw(mark, settings.removal().passedOver(), "it got tenant work");
    }
    if (!leaving.fleetIsKnown()) {
      return MachinePlan.NOTHING;
    }
    if (node.removing().isEmpty()) {
      return MachinePlan.of(announce(mark));
    }
    Duration watched = Duration.between(leaving.evidence().cordonSeen().orElse(now), now);
    if (watched.compareTo(settings.removal().settle()) < 0) {
      return MachinePlan.waiting(now.plus(settings.removal().settle().minus(watched)));
    }
    if (leaving.evidence().listed().isEmpty()) {
      return MachinePlan.of(list("its cordon has settled"));
    }
    MachineSnapshot.Listing listed = leaving.evidence().listed().get();
    if (keeps(NodeActivity.workload(listed.pods(), leaving.controlPlane()::contains, node, now))) {
      return withdraw(
          mark, settings.removal().passedOver(), "it got tenant work that only a live list shows");
    }
    return MachinePlan.of(begin(mark, listed));
  }

  /**
   * A Node that a person uncordoned is passed over this many times longer than one that got tenant
   * work (decision D69).
   */
  private static final int UNCORDONED_FACTOR = 5;

  /**
   * Reports the mark in CWNodeRemoval. The condition is part of the status, so it needs a write of
   * its own.
   */
  private PlannedAction announce(Removal.Marked mark) {
    return PlannedAction.quiet(
        new Action.ReportRemoval(
            node.name(),
            node.uid(),
            Optional.of(
                new Node.Removing(
                    NodeRemovalReason.MARKED,
                    "Chosen to leave NodePool %s: %s. It stays if it gets tenant work before it is drained."
                        .formatted(pool.name(), mark.cause().text()))),
            true),
        "it is marked");
  }

  /**
   * Withdraws the mark. The Node is not chosen again for some time, because another attempt would
   * fail the same way.
   */
  private MachinePlan withdraw(Removal.Marked mark, Duration passedOver, String why) {
    return MachinePlan.of(takeBack(node, pool, mark, now, passedOver, why));
  }

  /**
   * Whether this workload keeps the Node; it does not if busy Nodes may be removed too (decision
   * D19).
   */
  private boolean keeps(Workload workload) {
    return workload.isBusy() && !leaving.mayGoBusy();
  }

  private PlannedAction list(String why) {
    return PlannedAction.quiet(new Action.ListPods(node.name(), node.uid(), node.version()), why);
  }

  private PlannedAction begin(Removal.Marked mark, MachineSnapshot.Listing listed) {
    Instant forceAt = now.plus(settings.drain().deadline());
    Drain drain = drain(listed.pods(), forceAt);
    List<EventDraft> eventDrafts =
        drain.isDone()
            ? List.of()
            : List.of(
                eventDraft(
                    node,
                    EventReason.NODE_DRAINING,
                    mark.at().toString(),
                    "Node %s is being drained: %s.".formatted(node.name(), drain.left())));
    return new PlannedAction(
        eventDrafts,
        new Action.BeginRemoval(
            node.name(),
            node.uid(),
            node.version(),
            new Removal.Draining(mark.cause(), now, forceAt),
            drain.says(),
            node.removing().isEmpty()),
        mark.cause().text());
  }

  private Drain drain(List<Pod> pods, Instant forceAt) {
    return new Drain(node, leaving.evidence().tried(), pods, forceAt, now, settings);
  }

  /** The next step of a Node whose drain has begun. */
  MachinePlan drain(Removal.Draining removal) {
    if (NodeDeletion.isAwaited(node)) {
      return MachinePlan.of(NodeDeletion.of(node, removal.cause().text()));
    }
    return node.cordoned() ? continueDrain(removal) : cordonAgain(removal);
  }

  /**
   * Cordons the Node again if another client uncordoned it, because evicted Pods could be scheduled
   * to it again. The drain's deadline applies whether or not that succeeds.
   */
  private MachinePlan cordonAgain(Removal.Draining removal) {
    Action.Cordon cordon = new Action.Cordon(node.name(), node.uid(), node.removal());
    PlannedAction again = PlannedAction.quiet(cordon, "another client uncordoned it");
    if (now.isBefore(removal.forceAt())) {
      return MachinePlan.of(again).or(Optional.of(removal.forceAt()));
    }
    MachinePlan next = continueDrain(removal);
    boolean taken =
        next.plannedActions().stream()
            .anyMatch(plannedAction -> plannedAction.action().subject().equals(cordon.subject()));
    return taken
        ? next
        : new MachinePlan(
            Stream.concat(Stream.of(again), next.plannedActions().stream()).toList(),
            next.wakeup());
  }

  private MachinePlan continueDrain(Removal.Draining removal) {
    Drain watched = drain(leaving.pods(), removal.forceAt());
    if (!watched.isDone()) {
      return evict(watched, removal);
    }
    // Pods that the watch has not delivered yet must be drained too.
    Optional<MachineSnapshot.Listing> listed = leaving.evidence().listed();
    if (listed.isEmpty() || !now.isBefore(listed.get().at().plus(LIST_VALID))) {
      return MachinePlan.of(list("the watch shows no Pod to evict"));
    }
    Drain live = drain(listed.get().pods(), removal.forceAt());
    if (!live.isDone()) {
      return evict(live, removal).or(Optional.of(listed.get().at().plus(LIST_VALID)));
    }
    if (node.status().volumes() > 0 && now.isBefore(removal.forceAt())) {
      return report(removal, detaching(removal)).or(Optional.of(removal.forceAt()));
    }
    Action end = leaving.end().apply(removal);
    return end instanceof Action.DeleteNode && node.deleting()
        ? MachinePlan.of(NodeDeletion.of(node, "it is drained"))
        : MachinePlan.of(end(end, removal));
  }

  /** How long a live list stays valid that found Pods which the watch does not show. */
  private static final Duration LIST_VALID = Duration.ofSeconds(1);

  /** How long after its deadline a drain waits until the forced deletion is reported. */
  private static final Duration REPORT_FIRST = Duration.ofMinutes(1);

  /**
   * Reports a new stage before its evictions start; the report carries the Event that announces it.
   */
  private MachinePlan evict(Drain drain, Removal.Draining removal) {
    Node.Removing next = drain.says();
    if (isReportable(next) && !isForgotten(drain, next)) {
      MachinePlan reported = report(removal, next);
      Instant reportDeadline = removal.forceAt().plus(REPORT_FIRST);
      if (next.reason() == NodeRemovalReason.FORCED && now.isBefore(reportDeadline)) {
        return reported.or(Optional.of(reportDeadline));
      }
      List<PlannedAction> plannedActions = new ArrayList<>(reported.plannedActions());
      plannedActions.addAll(drain.plannedActions());
      return new MachinePlan(plannedActions, drain.wakeup());
    }
    return new MachinePlan(drain.plannedActions(), drain.wakeup());
  }

  /**
   * Whether a budget blocked the drain before a restart and it is not known yet whether it still
   * does.
   */
  private boolean isForgotten(Drain drain, Node.Removing next) {
    return next.reason() == NodeRemovalReason.DRAINING
        && drain.isUntried()
        && node.removing()
            .filter(last -> last.reason() == NodeRemovalReason.BLOCKED_BY_BUDGET)
            .isPresent();
  }

  /**
   * Whether the change needs a write: another reason, or other budgets that block. A different
   * number of Pods does not.
   */
  private boolean isReportable(Node.Removing next) {
    return node.removing()
        .map(last ->
            last.reason() != next.reason()
                || (next.reason() == NodeRemovalReason.BLOCKED_BY_BUDGET
                    && !last.message().equals(next.message())))
        .orElse(true);
  }

  private MachinePlan report(Removal.Draining removal, Node.Removing next) {
    if (!isReportable(next)) {
      return MachinePlan.NOTHING;
    }
    Optional<EventReason> event =
        switch (next.reason()) {
          case BLOCKED_BY_BUDGET -> Optional.of(EventReason.NODE_DRAINING_PDB_VIOLATION);
          case FORCED -> Optional.of(EventReason.NODE_DRAINING_FORCE_DELETE);
          case MARKED, TERMINATING, DRAINING, DETACHING, AWAITING_FINALIZERS -> Optional.empty();
        };
    return MachinePlan.of(
        new PlannedAction(
            event.stream()
                .map(reason -> eventDraft(node, reason, removal.at().toString(), next.message()))
                .toList(),
            new Action.ReportRemoval(
                node.name(), node.uid(), Optional.of(next), node.removing().isEmpty()),
            next.reason().meaning()));
  }

  private Node.Removing detaching(Removal.Draining removal) {
    return new Node.Removing(
        NodeRemovalReason.DETACHING,
        "All Pods are gone; %s still attached. Waited for until %s."
            .formatted(
                node.status().volumes() == 1
                    ? "1 volume is"
                    : node.status().volumes() + " volumes are",
                Messages.instant(removal.forceAt())));
  }

  private PlannedAction end(Action end, Removal.Draining removal) {
    return new PlannedAction(
        List.of(
            eventDraft(
                node,
                EventReason.NODE_PREPARED_FOR_TERMINATE,
                removal.at().toString(),
                "Node %s has nothing left to be evicted; its machine is stopped."
                    .formatted(node.name()))),
        end,
        "it is drained");
  }
}
