package io.nodepool.plan.report;

import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.occurrence.Occurrence;
import io.nodepool.model.pool.DisruptionBatch;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.disruption.cause.CauseKind;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.vocabulary.EventReason;
import java.util.List;
import java.util.Optional;

/**
 * Emits a pool's Events about the disruptions of its Nodes of one kind: one Event of each reason
 * for each batch, whose count and names are updated as the batch progresses. The counts come from
 * the ledger, so that no occurrence between two plans is lost.
 *
 * @param batch the current or last batch of the kind
 */
record DisruptionReport(
    EventRecorder recorder, PoolSnapshot seen, CountsAs as, DisruptionBatch batch) {
  /** Emits the Events for the difference between the two statuses. */
  static void emit(EventRecorder recorder, PoolSnapshot seen) {
    for (CountsAs as : CountsAs.values()) {
      DisruptionReport report = new DisruptionReport(recorder, seen, as, seen.ledger().batch(as));
      report.chosen();
      report.cordons();
      report.drains();
      report.removed();
    }
  }

  /** What the Nodes are disrupted for: {@code "2 Nodes cordoned " + purpose()}. */
  private String purpose() {
    return switch (as) {
      case REMOVAL -> "to be removed";
      case PREEMPTION -> "for preemption";
      case REBOOT -> "for a reboot or a verification";
    };
  }

  /** Why the Nodes leave: {@code "Deleted 2 Nodes" + because()}. */
  private String because() {
    return as == CountsAs.PREEMPTION ? " because of preemption" : "";
  }

  private void chosen() {
    if (as != CountsAs.REMOVAL || !batch.isUnreported(Occurrence.CHOSEN)) {
      return;
    }
    int withdrawn = batch.count(Occurrence.RETURNED);
    emit(
        EventReason.NODE_POOL_REMOVE_NODES,
        Occurrence.CHOSEN,
        "Removing %s"
            + because(Occurrence.CHOSEN)
            + (withdrawn == 0 ? "" : " Removals withdrawn so far: " + withdrawn + "."));
    emit(
        EventReason.NODE_MARKED_PREPARE_FOR_TERMINATE,
        Occurrence.CHOSEN,
        "%s marked to be removed.");
  }

  /**
   * The end of a sentence, with the reasons of this occurrence, if they are known for all Nodes of
   * the batch; part of a form.
   */
  private String because(Occurrence what) {
    if (as == CountsAs.REMOVAL && seen.pool().isTerminating()) {
      return because("the NodePool is being deleted");
    }
    List<String> words = batch.causes(what);
    List<CauseKind> kinds =
        words.stream().map(KnownCause.Catalogue::of).flatMap(Optional::stream).toList();
    if (kinds.size() < words.size()) {
      // A later version may have counted a cause that this one does not know.
      return because("");
    }
    List<String> whys = kinds.stream().map(this::why).sorted().toList();
    boolean isOfEach =
        batch.count(what) > 1 && kinds.stream().anyMatch(kind -> why(kind).equals(kind.text()));
    return isOfEach
        ? ", each since %s.".formatted(String.join(" or since ", whys))
        : because(String.join("; ", whys));
  }

  private String why(CauseKind kind) {
    return kind.ofPool().apply(seen.pool().spec().target(), seen.held());
  }

  /** The end of a sentence, with this reason for it if there is one; part of a form. */
  private static String because(String why) {
    return why.isEmpty() ? "." : ": " + why.replace("%", "%%") + ".";
  }

  private void cordons() {
    if (batch.isUnreported(Occurrence.CORDONED)) {
      emit(
          EventReason.NODE_CORDONED,
          Occurrence.CORDONED,
          "%s cordoned "
              + purpose()
              + (as == CountsAs.REBOOT ? because(Occurrence.CORDONED) : because(reclaimed())));
    }
    if (batch.isUnreported(Occurrence.CORDONED_AGAIN)) {
      recorder.emit(
          EventReason.NODE_CORDONED,
          occasion() + " again",
          "Another client uncordoned %s: cordoned again %s."
              .formatted(nodes(Occurrence.CORDONED_AGAIN), purpose()),
          batch.count(Occurrence.CORDONED_AGAIN));
    }
    emit(
        EventReason.NODE_UNCORDONED,
        Occurrence.UNCORDONED,
        switch (as) {
          case REMOVAL -> "%s uncordoned: no longer to be removed.";
          case PREEMPTION -> "%s uncordoned: no longer preempted.";
          case REBOOT -> "%s uncordoned: no longer to be rebooted or verified.";
        });
  }

  /** When the fleet takes the first machine that it wants back, as text; empty if there is none. */
  private String reclaimed() {
    return as != CountsAs.PREEMPTION
        ? ""
        : seen.members()
            .firstReclaim()
            .map(at -> "the fleet takes the first at " + Messages.instant(at))
            .orElse("");
  }

  private void drains() {
    emit(EventReason.DRAIN_NODE, Occurrence.DRAINED, "Draining %s " + purpose() + ".");
    emit(EventReason.NODE_DRAINING, Occurrence.DRAINED, "%s being drained " + purpose() + ".");
    emit(
        EventReason.NODE_DRAINING_PDB_VIOLATION,
        Occurrence.BLOCKED,
        "PodDisruptionBudgets blocked the drain of %s "
            + purpose()
            + "; an Event of the Node says which.");
    emit(
        EventReason.NODE_DRAINING_FORCE_DELETE,
        Occurrence.FORCED,
        "The deadline of the drain passed for %s "
            + purpose()
            + "; the Pods that were left are deleted.");
  }

  /** Reports each removed Node at once: other Nodes of its batch may need half an hour more. */
  private void removed() {
    emit(
        EventReason.NODE_PREPARED_FOR_TERMINATE,
        Occurrence.PREPARED,
        "%s prepared for termination" + because() + ".");
    String left = because() + "; " + recorder.next().currentNodes() + " left.";
    emit(EventReason.NODE_DELETED, Occurrence.REMOVED, "Deleted %s" + left);
    // The end of the pool has its own Event.
    if (!seen.pool().isTerminating()) {
      emit(EventReason.NODE_POOL_NODES_REMOVED, Occurrence.REMOVED, "%s removed" + left);
    }
  }

  /** Names the Events of this batch. */
  private String occasion() {
    String kind =
        switch (as) {
          case REMOVAL -> "batch ";
          case PREEMPTION -> "preemptions ";
          case REBOOT -> "reboots ";
        };
    return kind + batch.seen().number();
  }

  /** Emits an Event if this happened since the last one; the form names the Nodes. */
  private void emit(EventReason reason, Occurrence what, String form) {
    if (batch.isUnreported(what)) {
      recorder.emit(reason, occasion(), form.formatted(nodes(what)), batch.count(what));
    }
  }

  /**
   * The Nodes with this occurrence in this batch, as text. If a Node may have had it twice, the
   * text has the number of occurrences instead of the number of Nodes.
   */
  private String nodes(Occurrence what) {
    List<String> names = batch.named(what);
    int count = batch.count(what);
    if (!batch.mayRepeat(what)) {
      return NodeReport.nodes(count, names);
    }
    return names.isEmpty()
        ? "Nodes (%d times in all)".formatted(count)
        : "Nodes (%s; %d times in all)".formatted(NodeReport.first(names), count);
  }
}
