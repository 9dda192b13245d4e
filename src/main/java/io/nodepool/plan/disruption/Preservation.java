package io.nodepool.plan.disruption;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Keeps the machine of a Node that left its pool for an alert, for inspection (decision D316).
 * Pure.
 */
public final class Preservation {
  private Preservation() {}

  /**
   * How the machine of a drained Node is kept, in place of its stop. Empty if it is stopped: its
   * pool keeps no machine or enough already, or the Node does not leave for an alert.
   */
  public static Optional<Assignment.Preserved> begun(
      MachineSnapshot seen, Disruption.Active removal, Instant now, PlanSettings settings) {
    Instant until = now.plus(settings.repair().preserve().time()).truncatedTo(ChronoUnit.SECONDS);
    return removal.causes().stream()
        .filter(Disruption.Cause::leaves)
        .flatMap(cause -> cause.what().repaired().stream())
        .map(DisruptionCause.Repaired::alert)
        .findFirst()
        .filter(_ -> isWanted(seen, settings))
        .filter(_ -> seen.host().preserved().isEmpty())
        .map(alert -> new Assignment.Preserved(alert, until));
  }

  /** Until when the machine is kept; empty if it is not kept, or must stop now. */
  public static Optional<Instant> until(MachineSnapshot seen, Instant now, PlanSettings settings) {
    return seen.host()
        .preserved()
        .map(Assignment.Preserved::until)
        .filter(until -> until.isAfter(now))
        .filter(_ -> isWanted(seen, settings));
  }

  /** Whether it is kept. A preemption ends that at once, since no work runs on the machine. */
  private static boolean isWanted(MachineSnapshot seen, PlanSettings settings) {
    return seen.pool()
            .filter(pool -> !pool.isTerminating())
            .map(Pool::spec)
            .filter(spec -> spec.repair().isPreserving())
            .isPresent()
        && seen.host().preemption().isEmpty()
        && seen.evidence().preservedBeside() < settings.repair().preserve().most();
  }

  /** What the Node reports while its machine is kept; empty if it is not kept. */
  public static Optional<Node.Removing> report(Host host) {
    return host.preserved()
        .map(kept ->
            new Node.Removing(
                NodeRemovalReason.PRESERVED,
                "%s. It ends sooner if the annotation %s of the NodePool is removed."
                    .formatted(text(kept), PoolAnnotations.PRESERVE.key())));
  }

  /** Why and until when the machine is kept, as text for messages. */
  public static String text(Assignment.Preserved kept) {
    return "Kept for inspection until %s, since its machine has the alert %s"
        .formatted(Messages.instant(kept.until()), kept.alert());
  }
}
