package io.nodepool.plan.disruption.cause;

import io.nodepool.health.NeededRepairs;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.Node;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Instant;
import java.util.Optional;

/**
 * An alert stands about the machine and about so many others that its source may be wrong: the
 * pool's plan chose this idle Node to be verified, without a boot, to learn that (decision D33).
 *
 * @param alert its name
 */
public record AlertVerificationCause(String alert) implements KnownCause {
  static final CauseKind KIND =
      new CauseKind(
              "AlertVerification",
              "its machine is verified because its alert is suspected",
              "An alert stands about the machine and about so many others that its source is suspected. The machine is verified, without a reboot, to learn whether the alert is true. The Node stays in its pool.",
              CauseRule.STAYING.withStanding(CauseRule.Standing.DERIVED),
              AlertVerificationCause::new)
          .withFound(AlertVerificationCause::found);

  public AlertVerificationCause {
    if (alert.isEmpty()) {
      throw new IllegalArgumentException("no alert");
    }
  }

  private static Optional<Disruption.Cause> found(CauseFacts facts) {
    return facts
        .seen()
        .filter(AlertVerificationCause::isOffered)
        .flatMap(
            seen -> seen.presentNode().filter(Node::registered).flatMap(node -> asked(seen, node)))
        .map(asked -> facts.since(new AlertVerificationCause(asked.alert())));
  }

  private static boolean isOffered(MachineSnapshot seen) {
    return !seen.health().isUngraded()
        && seen.offer()
            .filter(offer -> !offer.capabilities().offers(BootKind.VERIFICATION))
            .isEmpty();
  }

  private static Optional<SuspectedAlert> asked(MachineSnapshot seen, Node node) {
    NeededRepairs needed = NeededRepairs.of(seen.health());
    return RepairCause.allowed(node, seen.pool()).stream()
        .flatMap(repairs -> repairs.suspects().stream())
        .filter(suspect -> suspect.asks(seen.host()) && needed.stands(suspect.alert()))
        .findFirst();
  }

  /** The suspected alert for which alone a machine is verified; empty if there is another cause. */
  public static Optional<String> verifiedFor(Disruption.Committed reboot) {
    boolean alone =
        reboot.causes().stream()
            .allMatch(cause -> cause.what().isAlertVerification() || cause.what().isRepair());
    return reboot.causes().stream()
        .filter(_ -> alone && reboot.limits().boot().filter(BootKind::boots).isEmpty())
        .map(Disruption.Cause::what)
        .filter(DisruptionCause::isAlertVerification)
        .map(DisruptionCause::reference)
        .findFirst();
  }

  @Override
  public CauseKind kind() {
    return KIND;
  }

  @Override
  public String reference() {
    return alert;
  }

  @Override
  public Optional<LifecycleState> state() {
    return Optional.of(LifecycleState.VERIFICATION);
  }

  @Override
  public boolean isAlertVerification() {
    return true;
  }

  /** Only an idle Node is verified. */
  @Override
  public Demand demand(Instant at, CauseFacts facts) {
    return Demand.of(facts.whenIdle(), new DisruptionEnding.Reboot(BootKind.VERIFICATION));
  }

  @Override
  public String withdrawnText(CauseFacts facts) {
    return "its alert is not to be verified on it any more";
  }
}
