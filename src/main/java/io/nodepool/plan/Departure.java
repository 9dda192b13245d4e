package io.nodepool.plan;

import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.MachineSnapshot;
import io.nodepool.model.Node;
import io.nodepool.model.Removal;
import io.nodepool.model.Workload;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.NodeRemovalReason;
import io.nodepool.vocabulary.RemovalCause;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How a chosen Node leaves: its cordon settles, its Pods are listed live, and only if that finds it
 * fit to go is it drained and its machine stopped. The API server accepts a binding to a cordoned
 * Node, so nothing less shows that it is idle.
 */
final class Departure {
  private final MachineSnapshot seen;
  private final Node node;
  private final PoolId pool;
  private final Instant now;
  private final Rules rules;

  /** The departure of the machine's present Node. */
  Departure(MachineSnapshot seen, Node node, PoolId pool, Instant now, Rules rules) {
    this.seen = seen;
    this.node = node;
    this.pool = pool;
    this.now = now;
    this.rules = rules;
  }

  /** A Node whose pool is gone goes as with PreferIdle (decision D22); nobody else chooses it. */
  Step choose() {
    return mark(node, pool, RemovalCause.ORPHANED, now, "orphaned");
  }

  /**
   * The step that chooses a Node: it is marked, and cordoned unless it is already.
   *
   * @param occasion what tells this choice from an earlier one of the same Node
   */
  static Step mark(Node node, PoolId pool, RemovalCause cause, Instant now, String occasion) {
    boolean cordon = !node.cordoned();
    List<Notice> notices = new ArrayList<>();
    if (cordon) {
      notices.add(
          notice(
              node,
              EventReason.NODE_CORDONED,
              occasion,
              "Node %s is cordoned: it is to leave NodePool %s."
                  .formatted(node.name(), pool.name())));
    }
    notices.add(
        notice(
            node,
            EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE,
            occasion,
            "Node %s is to leave NodePool %s: %s."
                .formatted(node.name(), pool.name(), cause.text())));
    return new Step(
        notices,
        new Action.MarkRemoval(
            node.name(), node.uid(), node.version(), new Removal.Marked(cause, now, cordon)),
        cause.text());
  }

  /** The step that takes a mark back, with the cordon that came with it. */
  static Step takeBack(Node node, PoolId pool, Removal.Marked mark, String why) {
    boolean uncordon = mark.ownCordon() && node.cordoned();
    List<Notice> notices =
        uncordon
            ? List.of(
                notice(
                    node,
                    EventReason.NODE_UNCORDONED,
                    mark.at().toString(),
                    "Node %s is uncordoned and stays in NodePool %s: %s."
                        .formatted(node.name(), pool.name(), why)))
            : List.of();
    return new Step(
        notices, new Action.UnmarkRemoval(node.name(), node.uid(), node.version(), uncordon), why);
  }

  private static Notice notice(Node node, EventReason reason, String occasion, String message) {
    return new Notice(
        reason,
        new Notice.Regarding(Notice.Kind.NODE, node.name(), node.uid()),
        occasion,
        message,
        1);
  }

  /** What a marked Node does next. */
  MachinePlan settle(Removal.Marked mark) {
    if (!node.cordoned()) {
      return back(mark, "somebody uncordoned it");
    }
    if (keeps(Activity.workload(seen.pods(), seen.controlPlane()::contains, node, now))) {
      return back(mark, "it got tenant work");
    }
    if (seen.organization().isEmpty()) {
      // The fleet cannot be reached: nothing is begun that does harm (decision D13).
      return MachinePlan.NOTHING;
    }
    Duration watched = seen.evidence().cordonWatched().orElse(Duration.ZERO);
    if (watched.compareTo(rules.settle()) < 0) {
      return MachinePlan.waiting(now.plus(rules.settle().minus(watched)));
    }
    if (seen.evidence().listed().isEmpty()) {
      return MachinePlan.of(list("its cordon has settled"));
    }
    MachineSnapshot.Listing listed = seen.evidence().listed().get();
    if (keeps(Activity.workload(listed.pods(), seen.controlPlane()::contains, node, now))) {
      return back(mark, "it got tenant work that only a live list shows");
    }
    return MachinePlan.of(begin(mark, listed));
  }

  private MachinePlan back(Removal.Marked mark, String why) {
    return MachinePlan.of(takeBack(node, pool, mark, why));
  }

  /** Whether this work keeps the Node: never where busy Nodes may go too (decision D19). */
  private boolean keeps(Workload workload) {
    return workload.isBusy() && !mayGoBusy();
  }

  private boolean mayGoBusy() {
    return seen.pool()
        .map(holder ->
            switch (holder.spec().scaleDownStrategy()) {
              case IDLE_ONLY -> false;
              case PREFER_IDLE -> true;
            })
        .orElse(true);
  }

  private Step list(String why) {
    return Step.quiet(new Action.ListPods(node.name(), node.uid(), node.version()), why);
  }

  private Step begin(Removal.Marked mark, MachineSnapshot.Listing listed) {
    Instant forceAt = now.plus(rules.drainDeadline());
    Drain drain = new Drain(node, seen, listed.pods(), forceAt, now, rules);
    List<Notice> notices =
        drain.isDone()
            ? List.of()
            : List.of(
                notice(
                    node,
                    EventReason.NODE_DRAINING,
                    mark.at().toString(),
                    "Node %s is being drained: %s.".formatted(node.name(), drain.left())));
    return new Step(
        notices,
        new Action.BeginRemoval(
            node.name(),
            node.uid(),
            node.version(),
            new Removal.Draining(mark.cause(), now, forceAt),
            drain.says()),
        mark.cause().text());
  }

  /** What a Node does next that is on its way out for good. */
  MachinePlan drain(Removal.Draining removal) {
    if (!node.cordoned()) {
      return MachinePlan.of(
          Step.quiet(new Action.Cordon(node.name(), node.uid()), "somebody uncordoned it"));
    }
    Drain watched = new Drain(node, seen, seen.pods(), removal.forceAt(), now, rules);
    if (!watched.isDone()) {
      return evict(watched, removal);
    }
    // What the watch has not brought yet is not to be cut off.
    Optional<MachineSnapshot.Listing> listed = seen.evidence().listed();
    if (listed.isEmpty() || !now.isBefore(listed.get().at().plus(LISTED_AGAIN))) {
      return MachinePlan.of(list("nothing of it was seen"));
    }
    Drain live = new Drain(node, seen, listed.get().pods(), removal.forceAt(), now, rules);
    if (!live.isDone()) {
      return evict(live, removal).or(Optional.of(listed.get().at().plus(LISTED_AGAIN)));
    }
    if (node.volumes() > 0 && now.isBefore(removal.forceAt())) {
      return says(removal, detaching(removal)).or(Optional.of(removal.forceAt()));
    }
    return MachinePlan.of(stop(removal));
  }

  /** How long a list is worth something that found Pods which the watch does not show. */
  private static final Duration LISTED_AGAIN = Duration.ofSeconds(1);

  /** What is said comes before what is done: an event that announces it goes with it. */
  private MachinePlan evict(Drain drain, Removal.Draining removal) {
    Node.Removing next = drain.says();
    if (isNews(next) && !isForgotten(drain, next)) {
      MachinePlan said = says(removal, next);
      if (next.reason() == NodeRemovalReason.FORCED) {
        return said;
      }
      List<Step> steps = new ArrayList<>(said.steps());
      steps.addAll(drain.steps());
      return new MachinePlan(steps, drain.wakeup());
    }
    return new MachinePlan(drain.steps(), drain.wakeup());
  }

  /** A budget that blocked before a restart is not known to do so no more. */
  private boolean isForgotten(Drain drain, Node.Removing next) {
    return next.reason() == NodeRemovalReason.DRAINING
        && drain.isUntried()
        && node.removing()
            .filter(last -> last.reason() == NodeRemovalReason.BLOCKED_BY_BUDGET)
            .isPresent();
  }

  /**
   * Whether it is worth a write: another reason, or other budgets in the way. A Pod more or less is
   * not.
   */
  private boolean isNews(Node.Removing next) {
    return node.removing()
        .map(last ->
            last.reason() != next.reason()
                || (next.reason() == NodeRemovalReason.BLOCKED_BY_BUDGET
                    && !last.message().equals(next.message())))
        .orElse(true);
  }

  private MachinePlan says(Removal.Draining removal, Node.Removing next) {
    if (!isNews(next)) {
      return MachinePlan.NOTHING;
    }
    Optional<EventReason> told =
        switch (next.reason()) {
          case BLOCKED_BY_BUDGET -> Optional.of(EventReason.NODE_DRAINING_PDB_VIOLATION);
          case FORCED -> Optional.of(EventReason.NODE_DRAINING_FORCE_DELETE);
          case TERMINATING, DRAINING, DETACHING, AWAITING_FINALIZERS -> Optional.empty();
        };
    return MachinePlan.of(
        new Step(
            told.stream()
                .map(reason -> notice(node, reason, removal.at().toString(), next.message()))
                .toList(),
            new Action.ReportRemoval(node.name(), node.uid(), next),
            next.reason().meaning()));
  }

  private Node.Removing detaching(Removal.Draining removal) {
    return new Node.Removing(
        NodeRemovalReason.DETACHING,
        "All Pods are gone; %s still attached. Waited for until %s."
            .formatted(
                node.volumes() == 1 ? "1 volume is" : node.volumes() + " volumes are",
                Texts.instant(removal.forceAt())));
  }

  private Step stop(Removal.Draining removal) {
    return new Step(
        List.of(
            notice(
                node,
                EventReason.NODE_PREPARED_FOR_TERMINATE,
                removal.at().toString(),
                "Node %s has nothing left to be evicted; its machine is stopped."
                    .formatted(node.name()))),
        new Action.OnHost(
            new HostOperation.Stop(
                seen.host().id(), seen.host().tenancy(), pool, Optional.empty())),
        "it is drained");
  }
}
