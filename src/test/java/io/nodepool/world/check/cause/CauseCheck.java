package io.nodepool.world.check.cause;

import io.nodepool.world.check.consent.LeavingNode;
import io.nodepool.world.check.truth.Causes;
import java.util.List;

/**
 * What the checks of a run know of one or several causes of disruption. What is right follows from
 * what clients, fleets and machines did, and not from what the operator made of it.
 */
public interface CauseCheck extends Causes.Texts, LeavingNode.Ground {
  /** The register. A new cause is one file, and one line here. */
  List<CauseCheck> ALL =
      List.of(
          new SizeCheck(),
          new LossCheck(),
          new PreemptionCheck(),
          new RebootRequestCheck(),
          new RolloutTurnCheck(),
          new AlertVerificationCheck(),
          new RepairCheck());
}
