package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;
import static io.nodepool.kubernetes.convert.ObjectFacts.orZero;
import static io.nodepool.kubernetes.convert.ObjectFacts.readableTime;

import io.nodepool.kubernetes.api.FailedRebootsStatus;
import io.nodepool.kubernetes.api.RepairsStatus;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.repair.RackAlert;
import io.nodepool.model.repair.RackRepair;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.vocabulary.Word;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts the parts of a NodePool's status about repairs and failed reboots, to records and back.
 */
final class RepairsConversion {
  private RepairsConversion() {}

  /** An instant that cannot be read counts as absent: the operator owns it. */
  static RepairState repairs(@Nullable RepairsStatus object) {
    return object == null
        ? RepairState.NONE
        : new RepairState(
            orZero(object.waiting),
            object.nodes,
            orEmpty(object.message),
            object.suspects.stream().flatMap(each -> suspect(each).stream()).toList(),
            isTrue(object.full),
            Optional.ofNullable(object.admitted).flatMap(RepairsConversion::admitted),
            Optional.ofNullable(object.rack).flatMap(RepairsConversion::rack),
            object.racks.stream().flatMap(each -> rackAlert(each).stream()).toList());
  }

  private static Optional<RackAlert> rackAlert(RepairsStatus.RackAlertStatus object) {
    return readableTime(object.since)
        .map(since -> new RackAlert(orEmpty(object.rack), orEmpty(object.alert), since));
  }

  private static RepairsStatus.RackAlertStatus written(RackAlert alert) {
    RepairsStatus.RackAlertStatus object = new RepairsStatus.RackAlertStatus();
    object.rack = alert.rack();
    object.alert = alert.alert();
    object.since = alert.since().toString();
    return object;
  }

  private static Optional<RackRepair> rack(RepairsStatus.RackRepairStatus object) {
    return readableTime(object.at)
        .map(at -> new RackRepair(orEmpty(object.rack), orEmpty(object.alert), at));
  }

  private static Optional<SuspectedAlert> suspect(RepairsStatus.SuspectedAlertStatus object) {
    return readableTime(object.since)
        .map(since ->
            new SuspectedAlert(
                orEmpty(object.alert),
                since,
                Word.of(SuspectedAlert.Verdict.class, orEmpty(object.verdict))
                    .orElse(SuspectedAlert.Verdict.HELD),
                isTrue(object.byCount),
                object.checks.stream().flatMap(each -> check(each).stream()).toList()));
  }

  private static Optional<SuspectedAlert.Check> check(RepairsStatus.CheckStatus object) {
    return readableTime(object.at)
        .map(at ->
            new SuspectedAlert.Check(
                orEmpty(object.node),
                orEmpty(object.hostUid),
                at,
                Optional.ofNullable(object.passed)));
  }

  private static boolean isTrue(@Nullable Boolean value) {
    return Boolean.TRUE.equals(value);
  }

  private static @Nullable Boolean orAbsent(boolean value) {
    return value ? Boolean.TRUE : null;
  }

  private static RepairsStatus.SuspectedAlertStatus written(SuspectedAlert suspect) {
    RepairsStatus.SuspectedAlertStatus object = new RepairsStatus.SuspectedAlertStatus();
    object.alert = suspect.alert();
    object.since = suspect.since().toString();
    object.verdict = suspect.verdict().word();
    object.byCount = orAbsent(suspect.byCount());
    object.checks = suspect.checks().stream().map(RepairsConversion::written).toList();
    return object;
  }

  private static RepairsStatus.CheckStatus written(SuspectedAlert.Check check) {
    RepairsStatus.CheckStatus object = new RepairsStatus.CheckStatus();
    object.node = check.node();
    object.hostUid = check.hostUid();
    object.at = check.at().toString();
    object.passed = check.passed().orElse(null);
    return object;
  }

  private static Optional<RepairState.Admitted> admitted(
      RepairsStatus.AdmittedRepairStatus object) {
    return readableTime(object.at)
        .map(at ->
            new RepairState.Admitted(
                orEmpty(object.node),
                orEmpty(object.hostUid),
                orZero(object.disruption),
                orEmpty(object.alert),
                isTrue(object.verifies),
                isTrue(object.endsWork),
                at));
  }

  static @Nullable RepairsStatus written(RepairState repairs) {
    if (repairs.equals(RepairState.NONE)) {
      return null;
    }
    RepairsStatus object = new RepairsStatus();
    object.waiting = repairs.waiting();
    object.nodes = repairs.names();
    object.message = ObjectFacts.orAbsent(repairs.why());
    object.suspects = repairs.suspects().stream().map(RepairsConversion::written).toList();
    object.full = orAbsent(repairs.full());
    object.admitted = repairs.admitted().map(RepairsConversion::written).orElse(null);
    object.rack = repairs.rack().map(RepairsConversion::written).orElse(null);
    object.racks = repairs.racks().stream().map(RepairsConversion::written).toList();
    return object;
  }

  private static RepairsStatus.RackRepairStatus written(RackRepair rack) {
    RepairsStatus.RackRepairStatus object = new RepairsStatus.RackRepairStatus();
    object.rack = rack.rack();
    object.alert = ObjectFacts.orAbsent(rack.alert());
    object.at = rack.at().toString();
    return object;
  }

  private static RepairsStatus.AdmittedRepairStatus written(RepairState.Admitted admitted) {
    RepairsStatus.AdmittedRepairStatus object = new RepairsStatus.AdmittedRepairStatus();
    object.node = admitted.node();
    object.hostUid = admitted.hostUid();
    object.disruption = admitted.sequence();
    object.alert = ObjectFacts.orAbsent(admitted.alert());
    object.verifies = orAbsent(admitted.verifies());
    object.endsWork = orAbsent(admitted.endsWork());
    object.at = admitted.at().toString();
    return object;
  }

  /** An instant that cannot be read counts as absent: the operator owns it. */
  static FailedReboots failedReboots(@Nullable FailedRebootsStatus object) {
    return object == null
        ? FailedReboots.NONE
        : new FailedReboots(
            orZero(object.waiting),
            object.nodes,
            orEmpty(object.message),
            Optional.ofNullable(object.admitted).map(RepairsConversion::admitted),
            object.row.stream().flatMap(at -> readableTime(at).stream()).toList(),
            readableTime(object.heldSince));
  }

  private static FailedReboots.Admitted admitted(FailedRebootsStatus.AdmittedStatus object) {
    return new FailedReboots.Admitted(
        orEmpty(object.node), orEmpty(object.hostUid), orEmpty(object.reboot));
  }

  static @Nullable FailedRebootsStatus written(FailedReboots failed) {
    if (failed.equals(FailedReboots.NONE)) {
      return null;
    }
    FailedRebootsStatus object = new FailedRebootsStatus();
    object.waiting = failed.waiting();
    object.nodes = failed.names();
    object.message = ObjectFacts.orAbsent(failed.why());
    object.heldSince = failed.hold().orElse(null);
    object.row = failed.row().stream().map(Instant::toString).toList();
    object.admitted = failed.admitted().map(RepairsConversion::written).orElse(null);
    return object;
  }

  private static FailedRebootsStatus.AdmittedStatus written(FailedReboots.Admitted admitted) {
    FailedRebootsStatus.AdmittedStatus object = new FailedRebootsStatus.AdmittedStatus();
    object.node = admitted.node();
    object.hostUid = admitted.hostUid();
    object.reboot = admitted.reboot();
    return object;
  }
}
