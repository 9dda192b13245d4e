package io.nodepool.plan.report;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Occurrence;
import io.nodepool.model.pool.RemovalBatch;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodesRemovedReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Emits a pool's Events about the removal of its Nodes: one Event of each reason for each batch,
 * whose count and names are updated as the batch progresses. The counts are those of the ledger, so
 * that no occurrence between two plans is lost.
 */
record RemovalReport(EventRecorder recorder, PoolSnapshot seen) {
  /** Emits the Events for the difference between the two statuses. */
  static void emit(EventRecorder recorder, PoolSnapshot seen) {
    RemovalReport report = new RemovalReport(recorder, seen);
    report.admissions();
    report.drains();
    report.removed();
    report.errors();
    report.batchEnd();
    report.deleted();
  }

  private EventLedger ledger() {
    return seen.ledger();
  }

  private boolean isUnreported(Occurrence what) {
    return ledger().seen().of(what) > ledger().published(what);
  }

  /** The Nodes with this occurrence in this batch, as text. */
  private String nodes(Occurrence what) {
    return NodeReport.nodes(ledger().seen().of(what), ledger().named(what));
  }

  private void admissions() {
    if (isUnreported(Occurrence.CHOSEN)) {
      emit(
          EventReason.NODE_POOL_REMOVE_NODES,
          Occurrence.CHOSEN,
          "Removing %s: %s.".formatted(nodes(Occurrence.CHOSEN), why()));
      emit(
          EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE,
          Occurrence.CHOSEN,
          "%s marked to be removed.".formatted(nodes(Occurrence.CHOSEN)));
    }
    if (isUnreported(Occurrence.CORDONED)) {
      emit(
          EventReason.NODE_CORDONED,
          Occurrence.CORDONED,
          "%s cordoned to be removed.".formatted(nodes(Occurrence.CORDONED)));
    }
    if (isUnreported(Occurrence.UNCORDONED)) {
      emit(
          EventReason.NODE_UNCORDONED,
          Occurrence.UNCORDONED,
          "%s uncordoned: no longer to be removed.".formatted(nodes(Occurrence.UNCORDONED)));
    }
  }

  /** Why Nodes of this batch leave, by the causes on those that are still there. */
  private String why() {
    if (seen.pool().isTerminating()) {
      return "the NodePool is being deleted";
    }
    String target = "the target is " + seen.pool().spec().target();
    SortedSet<String> causes =
        Stream.concat(
                seen.members().having(Members.Trait.REVOCABLE),
                seen.members().having(Members.Trait.COMMITTED))
            .flatMap(member -> member.disruption().stream())
            .flatMap(active -> active.causes().stream())
            .filter(cause -> cause.rule().countsAs() == CauseRule.CountsAs.REMOVAL)
            .map(cause -> KnownCause.of(cause).textOfPool(seen.pool().spec().target()))
            .collect(Collectors.toCollection(TreeSet::new));
    return causes.isEmpty() ? target : String.join("; ", causes);
  }

  private void drains() {
    if (isUnreported(Occurrence.DRAINED)) {
      String nodes = nodes(Occurrence.DRAINED);
      emit(EventReason.DRAIN_NODE, Occurrence.DRAINED, "Draining %s.".formatted(nodes));
      emit(EventReason.NODE_DRAINING, Occurrence.DRAINED, "%s being drained.".formatted(nodes));
    }
    if (isUnreported(Occurrence.BLOCKED)) {
      emit(
          EventReason.NODE_DRAINING_PDB_VIOLATION,
          Occurrence.BLOCKED,
          "PodDisruptionBudgets blocked drains %s (%s); CWNodeRemoval of a Node says which."
              .formatted(times(Occurrence.BLOCKED), names(Occurrence.BLOCKED)));
    }
    if (isUnreported(Occurrence.FORCED)) {
      emit(
          EventReason.NODE_DRAINING_FORCE_DELETE,
          Occurrence.FORCED,
          "The drain's deadline passed for %s; the Pods left are deleted."
              .formatted(nodes(Occurrence.FORCED)));
    }
  }

  /** One Node may be blocked several times. */
  private String times(Occurrence what) {
    int times = ledger().seen().of(what);
    return times == 1 ? "once" : times + " times";
  }

  private String names(Occurrence what) {
    List<String> named = ledger().named(what);
    return Messages.list(named, EventLedger.NAMED);
  }

  /** Emits the removed Nodes; each was prepared for termination before. */
  private void removed() {
    if (isUnreported(Occurrence.REMOVED)) {
      String nodes = nodes(Occurrence.REMOVED);
      emit(
          EventReason.NODE_PREPARED_FOR_TERMINATE,
          Occurrence.REMOVED,
          "%s prepared and gone.".formatted(nodes));
      emit(
          EventReason.NODE_DELETED,
          Occurrence.REMOVED,
          "Deleted %s; %d left.".formatted(nodes, recorder.next().currentNodes()));
    }
  }

  /**
   * Emits failing removals. After a restart the Event is emitted again under the same name, because
   * it is not known that it was emitted.
   */
  private void errors() {
    if (recorder.next().removal().failing() <= recorder.before().removal().failing()) {
      return;
    }
    List<String> names =
        seen.members()
            .having(Members.Trait.TROUBLED)
            .map(member -> member.host().id().name())
            .sorted()
            .toList();
    String first =
        seen.members()
            .having(Members.Trait.TROUBLED)
            .flatMap(member -> member.trouble().stream())
            .min(String::compareTo)
            .orElse("");
    recorder.emit(
        EventReason.NODE_POOL_NODES_REMOVE_ERROR,
        batch(),
        "%s cannot be removed at present, and it is tried again: %s"
            .formatted(NodeReport.nodes(names.size(), names), first),
        names.size());
  }

  private void batchEnd() {
    RemovalBatch before = recorder.before().removal();
    RemovalBatch next = recorder.next().removal();
    boolean wasUnderWay = before.isUnderWay() || next.number() != before.number();
    if (wasUnderWay
        && !next.isUnderWay()
        && ledger().seen().of(Occurrence.REMOVED) > 0
        && !seen.pool().isTerminating()) {
      emit(
          EventReason.NODE_POOL_NODES_REMOVED,
          Occurrence.REMOVED,
          "%s removed; %d left."
              .formatted(
                  Messages.count(ledger().seen().of(Occurrence.REMOVED), "Node"),
                  recorder.next().currentNodes()));
    }
  }

  private void deleted() {
    if (recorder.entered(PoolCondition.NODES_REMOVED, NodesRemovedReason.COMPLETE)) {
      recorder.emit(EventReason.NODE_POOL_NODES_REMOVED, "deleted", "All Nodes are removed.");
      recorder.emit(
          EventReason.NODE_POOL_DELETED,
          "deleted",
          "NodePool %s is deleted.".formatted(recorder.pool().id().name()));
    }
  }

  private String batch() {
    return "batch " + recorder.next().removal().number();
  }

  private void emit(EventReason reason, Occurrence what, String message) {
    recorder.emit(reason, batch(), message, ledger().seen().of(what));
  }
}
