package io.nodepool.plan.report;

import io.nodepool.model.repair.RackAlert;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import java.util.List;

/**
 * Reports what holds repairs, that the source of an alert is suspected, and what verifications of
 * Nodes show.
 */
final class RepairReport {
  private RepairReport() {}

  static void emit(EventRecorder recorder) {
    RepairState before = recorder.before().removal().repairs();
    for (SuspectedAlert suspect : recorder.next().removal().repairs().suspects()) {
      boolean told =
          before
              .suspect(suspect.alert())
              .filter(each -> each.verdict() == suspect.verdict())
              .isPresent();
      if (!told) {
        recorder.emit(
            EventReason.ALERT_SUSPECTED,
            "suspected %s %s".formatted(suspect.alert(), suspect.verdict().word()),
            text(suspect));
      }
    }
    List<RackAlert> racks = recorder.next().removal().repairs().racks();
    racks.stream()
        .filter(each -> !before.racks().contains(each))
        .forEach(each ->
            recorder.emit(
                EventReason.RACK_ALERT_TRIGGERED,
                rack(each, "begins"),
                "Rack %s has the alert %s since %s: a person has to act."
                    .formatted(each.rack(), each.alert(), Messages.instant(each.since()))));
    before.racks().stream()
        .filter(each -> !racks.contains(each))
        .forEach(each ->
            recorder.emit(
                EventReason.RACK_ALERT_ENDED,
                rack(each, "ends"),
                "Rack %s has the alert %s no more, or no machine of the NodePool."
                    .formatted(each.rack(), each.alert())));
    recorder
        .next()
        .condition(PoolCondition.REPAIRS_HELD)
        .filter(held -> held.reason() != RepairsHeldReason.ALERT_SUSPECTED)
        .filter(held -> recorder.entered(PoolCondition.REPAIRS_HELD, held.reason()))
        .ifPresent(held ->
            recorder.emit(
                EventReason.REPAIRS_HELD,
                held(held.reason(), before, recorder.next().removal().repairs()),
                held.message()));
  }

  private static String rack(RackAlert alert, String what) {
    return "rack %s %s since %s %s".formatted(alert.rack(), alert.alert(), alert.since(), what);
  }

  /** Another one begins when other Nodes wait, or after another repair. */
  private static String held(PoolReason reason, RepairState before, RepairState next) {
    return "%s %s after %s"
        .formatted(
            reason.word(),
            next.names(),
            before.admitted().map(last -> last.at().toString()).orElse("none"));
  }

  private static String text(SuspectedAlert suspect) {
    return switch (suspect.verdict()) {
      case PENDING ->
          "%s stands on more than a fifth of the Nodes that are Ready: its source is suspected, and no machine is repaired for it."
              .formatted(suspect.alert());
      case FALSE_ALARM ->
          "%s is a false alarm: %s with it passed the verification. No machine is repaired for it."
              .formatted(suspect.alert(), names(suspect, true));
      case GENUINE ->
          "%s is genuine: %s with it did not pass the verification. Machines are repaired for it."
              .formatted(suspect.alert(), names(suspect, false));
    };
  }

  private static String names(SuspectedAlert suspect, boolean passed) {
    List<String> names =
        suspect.checks().stream()
            .filter(check -> check.passed().filter(each -> each == passed).isPresent())
            .map(SuspectedAlert.Check::node)
            .toList();
    return Messages.named("Node", names, SuspectedAlert.MOST_CHECKS);
  }
}
