package io.nodepool.plan;

import io.nodepool.fleet.NodeTemplate;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.metadata.NodeAnnotations;

/** The facts about a Node, beside its UID, that must still hold for a write to take effect. */
public sealed interface NodePrecondition {
  /** Only the UID: the write does not depend on the state of the Node. */
  record Uid() implements NodePrecondition {}

  /**
   * The Node has not changed since it was observed. So a disruption is never committed on an old
   * list of Pods, and nothing is recorded after it was committed.
   */
  record UidAndVersion(long version) implements NodePrecondition {}

  /**
   * The record is unchanged, and the Node is not cordoned. Other parts of a Node that is drained
   * change often.
   *
   * @param record the record that was read
   * @param text its text as it was read, which may differ from the text that this version writes
   */
  record RecordUnchangedAndNotCordoned(Disruption record, String text)
      implements NodePrecondition {}

  /**
   * The record of what was applied is unchanged. Other clients may have changed anything else.
   *
   * @param applied the record that was read; it is only read in the form that is written
   */
  record AppliedUnchanged(NodeTemplate applied) implements NodePrecondition {}

  /** The record of what was applied to this Node has not changed, if it has one. */
  static NodePrecondition appliedUnchanged(Node node) {
    return node.metadata()
        .applied()
        .<NodePrecondition>map(AppliedUnchanged::new)
        .orElseGet(Uid::new);
  }

  /** The Node has not changed. */
  static NodePrecondition unchanged(Node node) {
    return new UidAndVersion(node.version());
  }

  /** The record of this Node's disruption has not changed, and the Node is not cordoned. */
  static NodePrecondition recordUnchanged(Node node, Disruption record) {
    return new RecordUnchangedAndNotCordoned(
        record, node.metadata().annotations().getOrDefault(NodeAnnotations.REMOVAL.key(), ""));
  }
}
