package io.nodepool.plan.report;

import io.nodepool.model.occurrence.Occurrence;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.pool.Tally;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.metadata.Metadata;
import io.nodepool.vocabulary.EventReason;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;

/**
 * Emits a pool's Events about its Nodes other than disruptions: assignments, registrations, taints,
 * and Nodes that vanished.
 */
final class NodeReport {
  private NodeReport() {}

  /**
   * Emits the Events. Each is named after the count that was reported before, so that it is new.
   */
  static void emit(EventRecorder recorder, PoolSnapshot seen) {
    Tally ledger = seen.ledger().life();
    emitNew(recorder, ledger, Occurrence.ASSIGNED, EventReason.NODE_ASSIGNED, "%s assigned.");
    emitNew(recorder, ledger, Occurrence.REGISTERED, EventReason.NODE_REGISTERED, "%s registered.");
    emitNew(
        recorder,
        ledger,
        Occurrence.VANISHED,
        EventReason.NODE_DELETED,
        "%%s gone that the pool did not remove: deleted by others, or without their machines; %d left."
            .formatted(recorder.next().currentNodes()));
    String why = "%s, as instance type, state and reservation ask.";
    emitNew(recorder, ledger, Occurrence.TAINTED, EventReason.NODE_TAINTED, "Tainted " + why);
    emitNew(recorder, ledger, Occurrence.UNTAINTED, EventReason.NODE_UNTAINTED, "Untainted " + why);
  }

  private static void emitNew(
      EventRecorder recorder, Tally ledger, Occurrence what, EventReason reason, String message) {
    int before = ledger.published().of(what);
    int times = ledger.unreported(what);
    if (times > 0) {
      List<String> names = ledger.named(what);
      List<String> distinct = names.stream().distinct().toList();
      recorder.emit(
          reason,
          what + " after " + before,
          message.formatted(
              distinct.size() == names.size()
                  ? nodes(times, names)
                  : "Nodes (%s; %d times in all)".formatted(first(distinct), times)),
          times);
    }
  }

  /** The first names, and whether there are more. */
  static String first(List<String> names) {
    String first = String.join(", ", names.stream().limit(EventLedger.NAMED).toList());
    return names.size() <= EventLedger.NAMED ? first : first + " and others";
  }

  /** A number of Nodes, with the names of the first Nodes. */
  static String nodes(int count, Collection<String> first) {
    String nodes = Messages.count(count, "Node");
    return first.isEmpty()
        ? nodes
        : "%s (%s)".formatted(nodes, Messages.list(first, EventLedger.NAMED, count));
  }

  /**
   * Emits the taints that a change of the spec adds to Nodes or removes from them. The Events are
   * emitted before any Node is changed, and named after the published generation.
   */
  static void taints(EventRecorder recorder, PoolSnapshot seen) {
    emit(
        recorder,
        EventReason.NODE_TAINTED,
        "Tainting",
        Metadata.gainingTaints(seen.pool(), seen.members()));
    emit(
        recorder,
        EventReason.NODE_UNTAINTED,
        "Untainting",
        Metadata.losingTaints(seen.pool(), seen.members()));
  }

  private static void emit(
      EventRecorder recorder, EventReason reason, String verb, Metadata.TaintedNodes changing) {
    SortedSet<String> nodes = changing.nodes();
    if (!nodes.isEmpty()) {
      recorder.emit(
          reason,
          "after generation " + recorder.before().observedGeneration(),
          "%s %s: %s; the spec has it so."
              .formatted(
                  verb,
                  nodes(nodes.size(), nodes),
                  Messages.list(changing.taints(), EventLedger.NAMED)),
          nodes.size());
    }
  }
}
