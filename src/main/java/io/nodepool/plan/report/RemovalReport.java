package io.nodepool.plan.report;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.CauseRule.CountsAs;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodesRemovedReason;
import java.util.List;

/** Emits a pool's Events about removals and reboots that fail, and about its own deletion. */
record RemovalReport(EventRecorder recorder, PoolSnapshot seen) {
  /** Emits the Events for the difference between the two statuses. */
  static void emit(EventRecorder recorder, PoolSnapshot seen) {
    RemovalReport report = new RemovalReport(recorder, seen);
    if (recorder.next().removal().failing() > recorder.before().removal().failing()) {
      report.failing(
          EventReason.NODE_POOL_NODES_REMOVE_ERROR,
          Members.Trait.TROUBLED,
          "batch " + recorder.next().removal().number(),
          "removed");
    }
    if (recorder.next().events().failingReboots() > recorder.before().events().failingReboots()) {
      report.failing(
          EventReason.NODE_POOL_NODES_REBOOT_ERROR,
          Members.Trait.REBOOT_TROUBLED,
          "reboots " + recorder.next().events().batch(CountsAs.REBOOT).number(),
          "rebooted or verified");
    }
    report.deleted();
  }

  /**
   * Emits the repeated failures. After a restart the Event is emitted again under the same name,
   * because the operator does not know that it was emitted.
   */
  private void failing(EventReason reason, Members.Trait trait, String occasion, String what) {
    List<String> names =
        seen.members().having(trait).map(member -> member.host().id().name()).sorted().toList();
    String first =
        seen.members()
            .having(trait)
            .flatMap(member -> member.trouble().stream())
            .min(String::compareTo)
            .orElse("");
    recorder.emit(
        reason,
        occasion,
        "%s cannot be %s at present, and it is tried again: %s"
            .formatted(NodeReport.nodes(names.size(), names), what, first),
        names.size());
  }

  private void deleted() {
    if (recorder.entered(NodesRemovedReason.COMPLETE)) {
      recorder.emit(EventReason.NODE_POOL_NODES_REMOVED, "deleted", "All Nodes are removed.");
      recorder.emit(
          EventReason.NODE_POOL_DELETED,
          "deleted",
          "NodePool %s is deleted.".formatted(recorder.pool().id().name()));
    }
  }
}
