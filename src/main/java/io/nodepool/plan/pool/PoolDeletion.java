package io.nodepool.plan.pool;

import io.nodepool.model.members.Members;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Messages;
import io.nodepool.plan.report.HeldMachines;
import io.nodepool.plan.report.NodesWithoutHost;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.NodesRemovedReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.List;
import java.util.Optional;

/**
 * Reports the deletion of a pool. Its finalizer may be removed only when it has no Host and no
 * Node.
 */
final class PoolDeletion {
  private PoolDeletion() {}

  static Finding pendingDelete() {
    return new Finding(
        AtTargetReason.PENDING_DELETE, "NodePool is being deleted; its nodes are being removed.");
  }

  /**
   * Whether a pool without observed Hosts and Nodes needs no confirmation: its status grants it no
   * Host, which is published before a Host is assigned (ADR 3), and its deletion is observed for
   * the first time or reported as complete (decision D263).
   */
  static boolean needsNoConfirmation(Pool pool) {
    return pool.status().growth().filter(growth -> growth.granted() > 0).isEmpty()
        && pool.status()
            .condition(PoolCondition.NODES_REMOVED)
            .filter(condition -> condition.reason() != NodesRemovedReason.COMPLETE)
            .isEmpty();
  }

  static Finding check(PoolSnapshot seen, ScaleDown.Outlook scaleDown, boolean complete) {
    if (complete) {
      return new Finding(
          NodesRemovedReason.COMPLETE, "All nodes have been removed from the NodePool.");
    }
    String fleet =
        switch (seen.offer()) {
          case PoolSnapshot.Offer.Lost lost ->
              "; no removal begins while the fleet's offer cannot be read: " + lost.why();
          case PoolSnapshot.Offer.Known _ -> "";
        };
    Finding incomplete =
        trouble(seen)
            .map(trouble -> new Finding(NodesRemovedReason.INTERNAL_ERROR, trouble + fleet))
            .orElseGet(() ->
                new Finding(
                    NodesRemovedReason.PENDING,
                    "%s left to remove%s%s."
                        .formatted(Messages.count(seen.held(), "node"), scaleDown.text(), fleet)));
    return NodesWithoutHost.beside(HeldMachines.beside(incomplete, seen.members()), seen);
  }

  /** The error of removals that keep failing; empty if there is none. */
  static Optional<String> trouble(PoolSnapshot seen) {
    List<String> troubles =
        seen.members()
            .having(Members.Trait.TROUBLED)
            .flatMap(member -> member.trouble().stream())
            .sorted()
            .toList();
    return troubles.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%s cannot be removed at present: %s"
                .formatted(Messages.count(troubles.size(), "node"), troubles.getFirst()));
  }
}
