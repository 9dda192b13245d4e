package io.nodepool.plan.report;

import io.nodepool.model.repair.RepairState;
import io.nodepool.vocabulary.EventReason;

/** Reports that the source of an alert is suspected. */
final class RepairReport {
  private RepairReport() {}

  static void emit(EventRecorder recorder) {
    RepairState before = recorder.before().removal().repairs();
    recorder.next().removal().repairs().suspects().stream()
        .filter(alert -> !before.suspects().contains(alert))
        .forEach(alert ->
            recorder.emit(
                EventReason.ALERT_SUSPECTED,
                "suspected " + alert,
                "%s stands on more than a fifth of the Nodes that are Ready: its source is suspected, and no machine is repaired for it."
                    .formatted(alert)));
  }
}
