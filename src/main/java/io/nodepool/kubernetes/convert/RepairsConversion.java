package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;
import static io.nodepool.kubernetes.convert.ObjectFacts.orZero;
import static io.nodepool.kubernetes.convert.ObjectFacts.readableTime;

import io.nodepool.kubernetes.api.RepairsStatus;
import io.nodepool.model.repair.RepairState;
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
            object.suspects,
            Optional.ofNullable(object.admitted).flatMap(RepairsConversion::admitted));
  }

  private static Optional<RepairState.Admitted> admitted(
      RepairsStatus.AdmittedRepairStatus object) {
    return readableTime(object.at)
        .map(at ->
            new RepairState.Admitted(
                orEmpty(object.node), orEmpty(object.hostUid), orZero(object.disruption), at));
  }

  static @Nullable RepairsStatus written(RepairState repairs) {
    if (repairs.equals(RepairState.NONE)) {
      return null;
    }
    RepairsStatus object = new RepairsStatus();
    object.waiting = repairs.waiting();
    object.nodes = repairs.names();
    object.message = repairs.why().isEmpty() ? null : repairs.why();
    object.suspects = repairs.suspects();
    object.admitted = repairs.admitted().map(RepairsConversion::written).orElse(null);
    return object;
  }

  private static RepairsStatus.AdmittedRepairStatus written(RepairState.Admitted admitted) {
    RepairsStatus.AdmittedRepairStatus object = new RepairsStatus.AdmittedRepairStatus();
    object.node = admitted.node();
    object.hostUid = admitted.hostUid();
    object.disruption = admitted.sequence();
    object.at = admitted.at().toString();
    return object;
  }
}
