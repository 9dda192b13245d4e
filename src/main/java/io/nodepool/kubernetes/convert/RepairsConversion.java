package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;
import static io.nodepool.kubernetes.convert.ObjectFacts.orZero;
import static io.nodepool.kubernetes.convert.ObjectFacts.readableTime;

import io.nodepool.kubernetes.api.RepairsStatus;
import io.nodepool.model.repair.RackAlert;
import io.nodepool.model.repair.RackRepair;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.vocabulary.Word;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts what a NodePool's status says of repairs, to a record and back. */
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
                    .orElse(SuspectedAlert.Verdict.PENDING),
                object.checks.stream()
                    .map(each ->
                        new SuspectedAlert.Check(
                            orEmpty(each.node),
                            orEmpty(each.hostUid),
                            Optional.ofNullable(each.passed)))
                    .toList()));
  }

  private static RepairsStatus.SuspectedAlertStatus written(SuspectedAlert suspect) {
    RepairsStatus.SuspectedAlertStatus object = new RepairsStatus.SuspectedAlertStatus();
    object.alert = suspect.alert();
    object.since = suspect.since().toString();
    object.verdict = suspect.verdict().word();
    object.checks = suspect.checks().stream().map(RepairsConversion::written).toList();
    return object;
  }

  private static RepairsStatus.CheckStatus written(SuspectedAlert.Check check) {
    RepairsStatus.CheckStatus object = new RepairsStatus.CheckStatus();
    object.node = check.node();
    object.hostUid = check.hostUid();
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
                at));
  }

  static @Nullable RepairsStatus written(RepairState repairs) {
    if (repairs.equals(RepairState.NONE)) {
      return null;
    }
    RepairsStatus object = new RepairsStatus();
    object.waiting = repairs.waiting();
    object.nodes = repairs.names();
    object.message = repairs.why().isEmpty() ? null : repairs.why();
    object.suspects = repairs.suspects().stream().map(RepairsConversion::written).toList();
    object.admitted = repairs.admitted().map(RepairsConversion::written).orElse(null);
    object.rack = repairs.rack().map(RepairsConversion::written).orElse(null);
    object.racks = repairs.racks().stream().map(RepairsConversion::written).toList();
    return object;
  }

  private static RepairsStatus.RackRepairStatus written(RackRepair rack) {
    RepairsStatus.RackRepairStatus object = new RepairsStatus.RackRepairStatus();
    object.rack = rack.rack();
    object.alert = rack.isOutage() ? null : rack.alert();
    object.at = rack.at().toString();
    return object;
  }

  private static RepairsStatus.AdmittedRepairStatus written(RepairState.Admitted admitted) {
    RepairsStatus.AdmittedRepairStatus object = new RepairsStatus.AdmittedRepairStatus();
    object.node = admitted.node();
    object.hostUid = admitted.hostUid();
    object.disruption = admitted.sequence();
    object.alert = admitted.alert().isEmpty() ? null : admitted.alert();
    object.at = admitted.at().toString();
    return object;
  }
}
