package io.nodepool.plan;

import io.nodepool.model.PoolSnapshot;
import io.nodepool.vocabulary.AtTargetReason;
import io.nodepool.vocabulary.NodesRemovedReason;
import java.util.List;

/** May a pool that is being deleted go? Only when nothing of it is left. */
final class Emptying {
  private Emptying() {}

  static Finding pendingDelete() {
    return new Finding(
        AtTargetReason.PENDING_DELETE, "NodePool is being deleted; its nodes are being removed.");
  }

  static Finding check(PoolSnapshot seen, Shrinking.Outlook shrinking, boolean complete) {
    if (complete) {
      return new Finding(
          NodesRemovedReason.COMPLETE, "All nodes have been removed from the NodePool.");
    }
    List<String> troubles =
        seen.members().stream().flatMap(member -> member.trouble().stream()).sorted().toList();
    if (!troubles.isEmpty()) {
      return new Finding(
          NodesRemovedReason.INTERNAL_ERROR,
          "%s cannot be removed at present: %s"
              .formatted(Texts.count(troubles.size(), "node"), troubles.getFirst()));
    }
    int left = seen.members().size() + seen.assigning();
    return new Finding(
        NodesRemovedReason.PENDING,
        "%s left to remove%s.".formatted(Texts.count(left, "node"), shrinking.text()));
  }
}
