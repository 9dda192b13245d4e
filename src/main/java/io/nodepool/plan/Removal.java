package io.nodepool.plan;

import io.nodepool.model.Member;
import io.nodepool.model.Node;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.vocabulary.AtTargetReason;
import io.nodepool.vocabulary.NodesRemovedReason;
import java.util.List;

/** May a pool that is being deleted go? Only when nothing of it is left. */
final class Removal {
  private static final int NAMED = 3;

  private Removal() {}

  static Finding pendingDelete() {
    return new Finding(
        AtTargetReason.PENDING_DELETE, "NodePool is being deleted; its nodes are being removed.");
  }

  static Finding check(PoolSnapshot seen, boolean complete) {
    if (complete) {
      return new Finding(
          NodesRemovedReason.COMPLETE, "All nodes have been removed from the NodePool.");
    }
    int left = seen.members().size() + seen.assigning();
    List<String> active =
        seen.members().stream()
            .filter(Removal::isActive)
            .map(member -> member.host().id().name())
            .sorted()
            .toList();
    String waiting =
        active.isEmpty()
            ? ""
            : " Waiting for the tenant workloads on %s: %s."
                .formatted(Texts.count(active.size(), "node"), Texts.list(active, NAMED));
    return new Finding(
        NodesRemovedReason.PENDING,
        "%s left to remove.%s".formatted(Texts.count(left, "node"), waiting));
  }

  private static boolean isActive(Member member) {
    return member.node().flatMap(Node::activity).map(Node.Activity::active).orElse(false);
  }
}
