package io.nodepool.plan.node;

import io.nodepool.fleet.PoolId;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.EndedCause;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.cause.CauseFacts;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.metadata.LeavingState;
import io.nodepool.vocabulary.DisruptionOutcome;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Deletes a Node object. The deletion is requested once. Finalizers of other clients may keep the
 * object for any time; this is reported, and the deletion is not requested again.
 */
public final class NodeDeletion {
  private static final int NAMED = 3;

  private NodeDeletion() {}

  /**
   * The deletion of a Node with these Pods, and the end of its disruption. A cause is superseded if
   * the Node does not leave for it, or if its announced drain was not in progress.
   */
  static PlannedAction delete(Node node, List<Pod> pods, Optional<KnownCause> inProgress) {
    int cutOff = cutOff(pods);
    return PlannedAction.quiet(new Action.DeleteNode(node.name(), node.uid()), "it is drained")
        .withEnded(
            node.activeDisruption().stream()
                .flatMap(active -> EndedCause.causes(active).stream())
                .map(cause -> ended(cause, cutOff, inProgress))
                .toList());
  }

  private static EndedCause ended(
      Disruption.Cause occurrence, int cutOff, Optional<KnownCause> inProgress) {
    KnownCause cause = KnownCause.of(occurrence);
    boolean carriedOut =
        cause.leaves()
            && (cause.kind().progressLabel().isEmpty()
                || inProgress.filter(each -> each.word().equals(cause.word())).isPresent());
    if (!carriedOut) {
      return new EndedCause(cause, occurrence.at(), DisruptionOutcome.SUPERSEDED, 0);
    }
    return new EndedCause(
        cause,
        occurrence.at(),
        cutOff == 0 ? DisruptionOutcome.COMPLETED : DisruptionOutcome.CUT_OFF,
        cutOff);
  }

  /**
   * The action that deletes a Node whose machine is stopped, or reports what keeps it; empty if
   * there is nothing to do. A kept Node shows the state in which it leaves; a Node that is deleted
   * at once needs no such write. Pods that are still bound to the Node were cut off, and a cause
   * whose drain was in progress ends with that.
   */
  static Optional<PlannedAction> ofStopped(
      Node node, PoolId pool, MachineSnapshot seen, Instant now, PlanSettings settings) {
    if (node.deleting()) {
      return report(node).or(() -> LeavingState.show(node, seen.host()));
    }
    Optional<KnownCause> inProgress =
        node.activeDisruption()
            .flatMap(active ->
                DrainProgress.of(node, pool, active, now)
                    .filter(progress ->
                        progress.isShown(node) || isCutOff(active, progress, seen, now, settings)))
            .map(DrainProgress::cause);
    PlannedAction deletion =
        delete(node, seen.pods(), inProgress).withWhy("its machine is stopped");
    return inProgress
        .map(cause -> cause.ended(deletion, node, pool, cutOff(seen.pods())))
        .or(() -> Optional.of(deletion));
  }

  /** Whether the window of a cause ended before the Node could show its progress. */
  private static boolean isCutOff(
      Disruption.Active active,
      DrainProgress progress,
      MachineSnapshot seen,
      Instant now,
      PlanSettings settings) {
    return active.commitment().filter(last -> last.limits().isStopDue(now)).isPresent()
        && progress.cause().kind().found().apply(CauseFacts.of(seen, now, settings)).isPresent();
  }

  /** How many of these Pods end with the machine, or with its boot. */
  static int cutOff(List<Pod> pods) {
    return (int)
        pods.stream()
            .filter(pod -> !NodeActivity.staysOnNode(pod) && !pod.execution().finished())
            .count();
  }

  /**
   * The action while the machine is asked to stop and its fleet does not report the stop yet, which
   * may take any time. The Node shows the state in which it leaves, and CWNodeRemoval again if
   * another client removed that. Empty if the Node shows both.
   */
  static Optional<PlannedAction> whileStopping(
      Node node, MachineSnapshot seen, Instant now, PlanSettings settings) {
    return node.commitment()
        .filter(committed -> committed.isLeaving() && node.removing().isEmpty())
        .map(committed ->
            new Drain(
                    node,
                    Map.of(),
                    seen.pods(),
                    committed.limits(),
                    now,
                    settings,
                    DisruptedNode.MACHINE_STOPPED)
                .stopped())
        .flatMap(removing ->
            PlannedAction.reportRemoval(
                node, Optional.of(removing), "its machine is being stopped"))
        .or(() -> LeavingState.show(node, seen.host()));
  }

  /** Whether the Node only waits for its finalizers. */
  static boolean isAwaited(Node node) {
    return node.deleting()
        && node.removing()
            .filter(removing -> removing.reason() == NodeRemovalReason.AWAITING_FINALIZERS)
            .isPresent();
  }

  /** The report of the finalizers that keep a deleted Node; empty if it was reported. */
  static Optional<PlannedAction> report(Node node) {
    Node.Removing removing =
        new Node.Removing(
            NodeRemovalReason.AWAITING_FINALIZERS,
            "The deletion was accepted; finalizers keep the Node%s."
                .formatted(names(node, ": %s")));
    return PlannedAction.reportRemoval(node, Optional.of(removing), "its deletion was accepted");
  }

  private static String names(Node node, String form) {
    return node.finalization().finalizers().isEmpty()
        ? ""
        : form.formatted(Messages.list(node.finalization().finalizers(), NAMED));
  }

  /** The deleted Nodes that finalizers keep, as text for messages; empty if there are none. */
  public static Optional<String> awaited(Members members) {
    List<String> kept =
        members
            .having(Members.Trait.DELETING)
            .flatMap(member -> member.node().stream())
            .map(node -> node.name() + names(node, " (%s)"))
            .sorted()
            .toList();
    return kept.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "finalizers keep %s: %s"
                .formatted(
                    Messages.count(kept.size(), "deleted node"), Messages.list(kept, NAMED)));
  }
}
