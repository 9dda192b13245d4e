package io.nodepool.plan.disruption.cause;

import io.nodepool.health.NeededRepairs;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.Node;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Instant;
import java.util.Optional;

/**
 * The machine is verified for an active alert, without a boot, before anything else is done for the
 * alert. The pool's plan chose it, since the alert is in doubt or its Host would be set aside
 * (decision D33).
 *
 * @param alert the name of the alert
 */
public record AlertVerificationCause(String alert) implements KnownCause {
  static final CauseKind KIND =
      new CauseKind(
              "AlertVerification",
              "its machine is verified for its alert",
              "An alert stands about the machine that is in doubt, or for which its Host would be set aside. The machine is verified, without a reboot, before that.",
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
        .filter(seen -> facts.node().filter(Node::registered).isPresent())
        .flatMap(seen -> asked(seen, facts))
        .map(alert -> facts.since(new AlertVerificationCause(alert)));
  }

  private static boolean isOffered(MachineSnapshot seen) {
    return !seen.health().isUngraded()
        && seen.offer().map(offer -> offer.capabilities().verifies()).orElse(true);
  }

  private static Optional<String> asked(MachineSnapshot seen, CauseFacts facts) {
    NeededRepairs needed = NeededRepairs.of(seen.health());
    return RepairCause.allowed(facts.node().orElseThrow(), seen.pool()).stream()
        .flatMap(_ -> needed.all().stream())
        .filter(NeededRepairs.Needed::stands)
        .filter(each ->
            RepairPermission.of(facts, each.alert(), each.grade().takesOut(), true).isPresent())
        .map(NeededRepairs.Needed::alert)
        .findFirst();
  }

  /**
   * The alert for which a machine is verified; empty if another cause boots or verifies it. A Node
   * that leaves meanwhile, as one that is preempted, is still verified for its alert.
   */
  public static Optional<String> verifiedFor(Disruption.Committed reboot) {
    boolean alone =
        reboot.causes().stream()
            .allMatch(cause ->
                cause.leaves() || cause.what().isAlertVerification() || cause.what().isRepair());
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

  /** The Node is drained as for the repair of its alert, if the pool's plan permits that. */
  @Override
  public Demand demand(Instant at, CauseFacts facts) {
    Optional<NeededRepairs.Needed> needed =
        facts.seen().flatMap(seen -> NeededRepairs.of(seen.health()).find(alert));
    Demand.Window window =
        needed
            .filter(each -> each.grade().boots() || each.grade().takesOut())
            .map(each -> new RepairCause(alert, each.grade(), each.overridesEviction()))
            .map(repair ->
                repair.window(
                    at,
                    facts,
                    hasBegun(facts)
                        || RepairPermission.of(facts, alert, repair.leaves(), true)
                            .filter(RepairState.Admitted::endsWork)
                            .isPresent()))
            .orElseGet(facts::whenIdle);
    return Demand.of(window, new DisruptionEnding.Reboot(BootKind.VERIFICATION));
  }

  private boolean hasBegun(CauseFacts facts) {
    return facts.recorded().filter(active -> !active.awaits(at(facts.now()))).isPresent()
        && facts.recordedCauses().anyMatch(cause -> cause.what().equals(this));
  }

  @Override
  public TakenBack takenBack(CauseFacts facts) {
    return RepairCause.verified(alert, facts);
  }

  @Override
  public String withdrawnText(CauseFacts facts) {
    boolean isKept = takenBack(facts) != TakenBack.YES;
    return isKept && !hasBegun(facts)
        ? "its alert is not to be verified on it any more"
        : RepairCause.withdrawnText(alert, facts, isKept);
  }
}
