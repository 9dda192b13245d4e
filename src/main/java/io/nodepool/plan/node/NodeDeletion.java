package io.nodepool.plan.node;

import io.nodepool.model.node.Members;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Action;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.util.List;
import java.util.Optional;

/**
 * How a Node object goes: its deletion is asked for once. Finalizers of others may keep the object
 * for as long as they like; that is said, and nothing is asked for again.
 */
public final class NodeDeletion {
  private static final int NAMED = 3;

  private NodeDeletion() {}

  /** What is to be done so that the Node goes; nothing while its deletion is under way. */
  static Optional<PlannedAction> of(Node node, String why) {
    return node.deleting()
        ? say(node)
        : Optional.of(PlannedAction.quiet(new Action.DeleteNode(node.name(), node.uid()), why));
  }

  /** Whether nothing is left to be done for the Node but to wait for its finalizers. */
  static boolean isAwaited(Node node) {
    return node.deleting()
        && node.removing()
            .filter(says -> says.reason() == NodeRemovalReason.AWAITING_FINALIZERS)
            .isPresent();
  }

  private static Optional<PlannedAction> say(Node node) {
    Node.Removing says =
        new Node.Removing(
            NodeRemovalReason.AWAITING_FINALIZERS,
            "The deletion was accepted; finalizers keep the Node%s."
                .formatted(names(node, ": %s")));
    return node.removing().equals(Optional.of(says))
        ? Optional.empty()
        : Optional.of(
            PlannedAction.quiet(
                new Action.ReportRemoval(
                    node.name(), node.uid(), Optional.of(says), node.removing().isEmpty()),
                "its deletion was accepted"));
  }

  private static String names(Node node, String form) {
    return node.finalization().finalizers().isEmpty()
        ? ""
        : form.formatted(Messages.list(node.finalization().finalizers(), NAMED));
  }

  /** Of which members finalizers keep the Nodes, in words; empty where they do of none. */
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
