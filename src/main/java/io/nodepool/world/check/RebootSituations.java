package io.nodepool.world.check;

import io.nodepool.fleet.HostOperation;
import io.nodepool.model.node.Disruption;
import io.nodepool.plan.Action;
import io.nodepool.vocabulary.DisruptionCause;
import java.util.Optional;

/** Finds the stages of reboots that intents lead to. */
final class RebootSituations {
  private RebootSituations() {}

  /**
   * What an intent that is about to take effect does to a reboot.
   *
   * @param last the record on its Node
   */
  static Optional<Situation> of(Action action, Optional<Disruption> last) {
    if (action instanceof Action.OnHost(HostOperation.Boot boot)) {
      return Optional.of(
          boot.request().attempt() > 1 ? Situation.REBOOT_RETRIED : Situation.REBOOTED);
    }
    if (action instanceof Action.DropRebootPolicy) {
      return Optional.of(Situation.POLICY_TAKEN_OFF);
    }
    if (action instanceof Action.RecordDisruption record
        && record.change() == Action.Change.WITHDRAW
        && last.orElse(null) instanceof Disruption.Admitted admitted
        && !admitted.leaves()) {
      return Optional.of(Situation.REBOOT_WITHDRAWN);
    }
    if (action instanceof Action.CommitDisruption commit
        && last.orElse(null) instanceof Disruption.Committed reboot
        && !reboot.isLeaving()) {
      return Optional.of(
          commit.next().has(DisruptionCause.REBOOT_FAILED)
              ? Situation.REBOOT_GIVEN_UP
              : Situation.LEFT_INSTEAD_OF_REBOOT);
    }
    return Optional.empty();
  }
}
