package io.nodepool.plan;

import io.nodepool.model.Member;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.model.PoolStatus;
import io.nodepool.model.RemovalBatch;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.NodeRemovalReason;
import io.nodepool.vocabulary.NodesRemovedReason;
import io.nodepool.vocabulary.PoolCondition;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.function.Predicate;

/**
 * What is said on a pool about the removal of its Nodes: for each batch one event of a kind, whose
 * count and names are brought up to date as the batch goes on.
 */
final class RemovalReport {
  private static final int NAMED = 5;

  private final Teller teller;
  private final PoolSnapshot seen;
  private final RemovalBatch before;
  private final RemovalBatch next;

  private RemovalReport(Teller teller, PoolSnapshot seen) {
    this.teller = teller;
    this.seen = seen;
    this.before = teller.before().removal();
    this.next = teller.next().removal();
  }

  /** Tells what lies between the two statuses. */
  static void tell(Teller teller, PoolSnapshot seen, SortedSet<String> leaving) {
    RemovalReport report = new RemovalReport(teller, seen);
    report.chosen(leaving);
    report.drains();
    report.gone();
    report.over();
    report.deleted();
  }

  private boolean isNewBatch() {
    return next.number() != before.number();
  }

  private String batch() {
    return "batch " + next.number();
  }

  private void chosen(SortedSet<String> leaving) {
    int toldBefore = isNewBatch() ? 0 : before.chosen();
    if (next.chosen() > toldBefore) {
      String names = names(next.chosen(), leaving);
      String why =
          seen.pool().isLeaving()
              ? "the NodePool is being deleted"
              : "the target is " + seen.pool().spec().target();
      tell(
          EventReason.NODE_POOL_REMOVE_NODES,
          "Removing %s: %s.".formatted(names, why),
          next.chosen());
      tell(EventReason.NODE_CORDONED, "%s cordoned to be removed.".formatted(names), next.chosen());
      tell(
          EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE,
          "%s marked to be removed.".formatted(names),
          next.chosen());
    }
    int back = before.leaving() - next.leaving() - (next.removed() - before.removed());
    if (!isNewBatch() && back > 0) {
      teller.tell(
          EventReason.NODE_UNCORDONED,
          "%s, from %d of %d".formatted(batch(), before.leaving(), before.chosen()),
          "%s no longer to be removed.".formatted(Texts.count(back, "Node")),
          back);
    }
  }

  private void drains() {
    RemovalBatch last = isNewBatch() ? RemovalBatch.NONE : before;
    if (next.draining() > last.draining()) {
      String names = names(next.draining(), at(this::isDraining));
      tell(EventReason.DRAIN_NODE, "Draining %s.".formatted(names), next.draining());
      tell(EventReason.NODE_DRAINING, "%s being drained.".formatted(names), next.draining());
    }
    if (next.blocked() > last.blocked()) {
      tell(
          EventReason.NODE_DRAINING_PDB_VIOLATION,
          "PodDisruptionBudgets block the drain of %s; CWNodeRemoval of a Node says which."
              .formatted(
                  names(
                      next.blocked(),
                      at(member -> Shrinking.isAt(member, NodeRemovalReason.BLOCKED_BY_BUDGET)))),
          next.blocked());
    }
    if (next.forced() > last.forced()) {
      tell(
          EventReason.NODE_DRAINING_FORCE_DELETE,
          "The drain's deadline passed for %s; the Pods left are deleted."
              .formatted(
                  names(
                      next.forced(),
                      at(member -> Shrinking.isAt(member, NodeRemovalReason.FORCED)))),
          next.forced());
    }
  }

  private boolean isDraining(Member member) {
    return Shrinking.isAt(member, NodeRemovalReason.DRAINING)
        || Shrinking.isAt(member, NodeRemovalReason.BLOCKED_BY_BUDGET)
        || Shrinking.isAt(member, NodeRemovalReason.FORCED);
  }

  private List<String> at(Predicate<Member> stage) {
    return seen.members().stream()
        .filter(stage)
        .map(member -> member.host().id().name())
        .sorted()
        .toList();
  }

  /** A Node that is gone was prepared to go. */
  private void gone() {
    PoolStatus last = teller.before();
    int gone = last.currentNodes() - teller.next().currentNodes();
    if (gone <= 0) {
      return;
    }
    if (next.removed() > (isNewBatch() ? 0 : before.removed())) {
      tell(
          EventReason.NODE_PREPARED_FOR_TERMINATE,
          "%s prepared and gone.".formatted(Texts.count(next.removed(), "Node")),
          next.removed());
    }
    teller.tell(
        EventReason.NODE_DELETED,
        "%s, from %d".formatted(batch(), last.currentNodes()),
        "Deleted %s; %d left.".formatted(Texts.count(gone, "Node"), teller.next().currentNodes()),
        gone);
  }

  private void over() {
    if ((before.isUnderWay() || isNewBatch())
        && !next.isUnderWay()
        && next.removed() > 0
        && !seen.pool().isLeaving()) {
      tell(
          EventReason.NODE_POOL_NODES_REMOVED,
          "%s removed; %d left."
              .formatted(Texts.count(next.removed(), "Node"), teller.next().currentNodes()),
          next.removed());
    }
  }

  private void deleted() {
    teller.onEntering(
        PoolCondition.NODES_REMOVED,
        NodesRemovedReason.INTERNAL_ERROR,
        EventReason.NODE_POOL_NODES_REMOVE_ERROR);
    if (teller.entered(PoolCondition.NODES_REMOVED, NodesRemovedReason.COMPLETE)) {
      teller.tell(EventReason.NODE_POOL_NODES_REMOVED, "deleted", "All Nodes are removed.", 1);
      teller.tell(
          EventReason.NODE_POOL_DELETED,
          "deleted",
          "NodePool %s is deleted.".formatted(teller.pool().id().name()),
          1);
    }
  }

  private void tell(EventReason reason, String message, int count) {
    teller.tell(reason, batch(), message, count);
  }

  private static String names(int count, Collection<String> names) {
    return names.isEmpty()
        ? Texts.count(count, "Node")
        : "%s (%s)".formatted(Texts.count(count, "Node"), Texts.list(names, NAMED));
  }
}
