package io.nodepool.plan.report;

import io.nodepool.model.pool.FailedReboots;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.EventReason;

/** Reports that failed reboots are held for a person, and that a person released them. */
final class FailedRebootReport {
  private FailedRebootReport() {}

  static void emit(EventRecorder recorder) {
    FailedReboots before = recorder.before().failedReboots();
    FailedReboots next = recorder.next().failedReboots();
    // What is admitted in the same status as the hold begins comes after the last one before that.
    String occasion = "after " + before.row();
    if (next.hold().isPresent() && before.hold().isEmpty()) {
      recorder.emit(
          EventReason.FAILED_REBOOTS_HELD,
          occasion,
          "%s in a row did not come back from their reboots and were removed; no other one is removed until that is released. Waiting: %s."
              .formatted(
                  Messages.count(FailedReboots.ROW, "Node"),
                  NodeReport.nodes(next.waiting(), next.names())));
    }
    if (before.hold().isPresent() && next.hold().isEmpty()) {
      recorder.emit(
          EventReason.FAILED_REBOOTS_RELEASED,
          "since " + before.hold().get(),
          "What was held since %s is released: Nodes that do not come back from their reboots leave again."
              .formatted(before.hold().get()));
    }
  }
}
