package io.nodepool.plan.disruption.cause;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.repair.RepairState;
import io.nodepool.plan.PlanSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The permission of a pool to repair or verify a machine for an alert now. The pool's plan permits
 * one machine, or the machines of a rack together (decision D33).
 */
public final class RepairPermission {
  /**
   * How long a Node is cordoned before its repair may be carried out: a source that is wrong about
   * many machines reports them within this time, and is then suspected.
   */
  private static final Duration LOOK = Duration.ofMinutes(1);

  /** How long a Node may use the permission of the pool before another Node gets it. */
  public static final Duration PERMITTED = Duration.ofMinutes(2);

  private RepairPermission() {}

  /**
   * The earliest instant at which the Node may be repaired for this alert, whatever it was cordoned
   * for before.
   */
  public static Instant dueAt(Disruption.Active recorded, String alert, PlanSettings settings) {
    return recorded.causes().stream()
        .filter(cause -> RepairCause.isFor(cause, alert))
        .map(cause -> cause.at().plus(LOOK.dividedBy(settings.speed())))
        .max(Instant::compareTo)
        .orElse(Instant.MAX);
  }

  /**
   * The permission of the pool to do something for an alert to the machine of a Node now; empty
   * while there is none.
   *
   * @param verifies whether the machine is to be verified; else it is repaired
   */
  static Optional<RepairState.Admitted> of(
      CauseFacts facts, String alert, boolean takesOut, boolean verifies) {
    if (facts.seen().isEmpty() || facts.node().isEmpty() || facts.pool().isEmpty()) {
      return Optional.empty();
    }
    Host host = facts.seen().get().host();
    Node node = facts.node().get();
    RepairState repairs = facts.pool().get().repairs();
    int sequence = RepairState.Admitted.sequence(node);
    if (!verifies && repairs.isStopped(alert) && !host.isProvedFaulty(alert)) {
      return Optional.empty();
    }
    Optional<RepairState.Admitted> alone =
        repairs
            .admitted()
            .filter(each -> each.isFor(host.id().uid(), sequence, alert))
            .filter(each -> each.verifies() == verifies);
    return alone.or(() ->
        repairs
            .rack()
            .filter(rack -> rack.isFor(alert, host))
            .filter(rack ->
                facts
                    .recorded()
                    .filter(active -> rack.covers(dueAt(active, alert, facts.settings())))
                    .isPresent())
            .filter(_ -> repairs.verifiesFirst(alert, takesOut, host, node, sequence) == verifies)
            .filter(_ -> verifies || !isAwaited(host, node, sequence, facts))
            .map(rack ->
                new RepairState.Admitted(
                    node.name(), host.id().uid(), sequence, alert, verifies, true, rack.at())));
  }

  /** Whether the machine may still answer its verification in this disruption. */
  private static boolean isAwaited(Host host, Node node, int sequence, CauseFacts facts) {
    Duration deadline = facts.settings().reboot().wholeDeadline();
    return host.alertVerified().isEmpty()
        && host.alertVerification()
            .filter(request -> node.isOf(request, sequence))
            .filter(request -> facts.now().isBefore(request.at().plus(deadline)))
            .isPresent();
  }
}
