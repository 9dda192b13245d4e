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
import java.util.Optional;

/**
 * Reports why repairs are held, that the source of an alert is suspected, and the results of
 * verifications of Nodes.
 */
final class RepairReport {
  private RepairReport() {}

  static void emit(EventRecorder recorder) {
    RepairState before = recorder.before().repairs();
    for (SuspectedAlert suspect : recorder.next().repairs().suspects()) {
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
    List<RackAlert> racks = recorder.next().repairs().racks();
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
        .filter(held -> recorder.entered(held.reason()))
        .ifPresent(held ->
            recorder.emit(
                EventReason.REPAIRS_HELD,
                held(held.reason(), before, recorder.next().repairs()),
                held.message()));
  }

  private static String rack(RackAlert alert, String what) {
    return "rack %s %s since %s %s".formatted(alert.rack(), alert.alert(), alert.since(), what);
  }

  /** A new occasion begins when other Nodes wait, or after another repair. */
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
          suspect.byCount()
              ? "%s is in doubt: work on so many Nodes was ended for it within 24 hours that a machine is verified before another one is repaired for it."
                  .formatted(suspect.alert())
              : "%s stands on so many Nodes that it is in doubt: a machine is verified before any is repaired for it."
                  .formatted(suspect.alert());
      case FALSE_ALARM ->
          "%s is a false alarm: %s with it passed the verification. For 24 hours only a machine that does not pass is repaired for it."
              .formatted(suspect.alert(), names(suspect, Optional.of(true)));
      case GENUINE ->
          "%s is genuine: %s with it did not pass the verification. Machines are verified and repaired for it."
              .formatted(suspect.alert(), names(suspect, Optional.of(false)));
      case HELD ->
          SuspectedAlert.isNotReady(suspect.alert())
              ? "%s is held: so many Nodes are not Ready although their machines run that the network may be at fault. None is rebooted for it until fewer are, or a person releases it."
                  .formatted(suspect.alert())
              : "%s is held: it is in doubt, and %s. No %smachine is repaired for it until a person releases it."
                  .formatted(suspect.alert(), why(suspect), suspect.byCount() ? "other " : "");
    };
  }

  private static String why(SuspectedAlert held) {
    String unanswered = names(held, Optional.empty());
    return held.checks().stream().allMatch(check -> check.passed().isPresent())
        ? "the fleet does not verify machines"
        : unanswered + " did not answer the verification";
  }

  private static String names(SuspectedAlert suspect, Optional<Boolean> passed) {
    return Messages.named("Node", suspect.nodes(passed), SuspectedAlert.MOST_CHECKS);
  }
}
