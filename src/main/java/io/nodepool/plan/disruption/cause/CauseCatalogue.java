package io.nodepool.plan.disruption.cause;

import java.util.List;
import java.util.Optional;

/** The list of all kinds of cause. A new cause is one file, and one line here. */
public final class CauseCatalogue {
  /** All kinds, in the order of causes in records and texts. */
  public static final List<CauseKind> ALL =
      List.of(
          ScaleDownCause.KIND,
          PoolDeletionCause.KIND,
          RegistrationFailedCause.KIND,
          MachineOutageCause.KIND,
          OrphanedCause.KIND,
          NoMachineCause.KIND,
          PreemptionCause.KIND,
          RequestedRebootCause.REBOOT,
          RequestedRebootCause.RECONFIGURATION,
          RolloutCause.KIND,
          RequestedRebootCause.VERIFICATION,
          RebootFailedCause.KIND);

  private CauseCatalogue() {}

  /** The kind with this word. */
  public static Optional<CauseKind> of(String word) {
    return ALL.stream().filter(kind -> kind.word().equals(word)).findFirst();
  }
}
