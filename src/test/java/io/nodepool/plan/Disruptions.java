package io.nodepool.plan;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.DisruptionNotes;
import io.nodepool.model.node.DrainStage;
import io.nodepool.model.node.Node;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.ScaleDownCause;
import io.nodepool.vocabulary.CandidateRank;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Disruptions, and actions that change them, for tests. */
public final class Disruptions {
  private Disruptions() {}

  /** A Node that was chosen by its pool. */
  public static Disruption.Admitted admitted(CandidateRank rank, Instant at, boolean ownCordon) {
    return admitted(new ScaleDownCause(rank), at, ownCordon);
  }

  /** A Node that is disrupted for this cause. */
  public static Disruption.Admitted admitted(KnownCause cause, Instant at, boolean ownCordon) {
    return admitted(cause.at(at), ownCordon);
  }

  /** A Node that is disrupted for this cause. */
  public static Disruption.Admitted admitted(Disruption.Cause cause, boolean ownCordon) {
    return new Disruption.Admitted(
        1,
        List.of(cause),
        ownCordon ? Disruption.Cordon.OURS : Disruption.Cordon.FOREIGN,
        new DisruptionNotes(Instant.MIN, cause.what().isRemovalRequest()));
  }

  /** A Node that was chosen by its pool and is drained. */
  public static Disruption.Committed committed(CandidateRank rank, Instant at, Instant forceAt) {
    return new Disruption.Committed(
        1,
        List.of(new ScaleDownCause(rank).at(at)),
        Disruption.Cordon.OURS,
        at,
        DisruptionLimits.leaving(forceAt),
        DrainStage.NONE);
  }

  /** A Node that is passed over. */
  public static Disruption.PassedOver passedOver(Instant at, Instant until, boolean requested) {
    return new Disruption.PassedOver(1, at, until, requested);
  }

  /** A Node whose removal was requested. */
  public static Disruption.Requested requested(Instant at) {
    return new Disruption.Requested(0, at);
  }

  /** Records this disruption on a Node, with its own cordon if it has one. */
  public static Action.WriteNode record(Node node, Disruption next) {
    NodeChange.Cordoning cordoning =
        next instanceof Disruption.Admitted admitted && admitted.cordon() == Disruption.Cordon.OURS
            ? NodeChange.Cordoning.CORDON
            : NodeChange.Cordoning.KEEP;
    return write(
        node,
        next instanceof Disruption.Requested ? NodePurpose.NOTE : NodePurpose.ADMIT,
        Optional.of(next),
        cordoning);
  }

  /** Cordons a Node again that another client uncordoned. */
  public static Action.WriteNode cordonAgain(Node node) {
    return Action.WriteNode.of(
        node,
        NodePrecondition.recordUnchanged(node, node.disruption().orElseThrow()),
        new NodeChange.OfSpec(
            MetadataChange.NONE.recording(node.disruption()), NodeChange.Cordoning.CORDON),
        NodePurpose.CORDON_AGAIN);
  }

  /** Withdraws the disruption of a Node. */
  public static Action.WriteNode withdraw(
      Node node, boolean uncordon, Optional<? extends Disruption> instead) {
    return write(
        node,
        NodePurpose.WITHDRAW,
        instead.map(passed -> passed),
        uncordon ? NodeChange.Cordoning.UNCORDON : NodeChange.Cordoning.KEEP);
  }

  private static Action.WriteNode write(
      Node node, NodePurpose purpose, Optional<Disruption> next, NodeChange.Cordoning cordoning) {
    return Action.WriteNode.of(
        node,
        NodePrecondition.unchanged(node),
        new NodeChange.OfSpec(MetadataChange.NONE.recording(next), cordoning),
        purpose);
  }

  /** Commits the disruption of a Node. */
  public static Action.WriteNode commit(Node node, Disruption.Committed next, Node.Removing says) {
    return commit(node, next, says, MetadataChange.NONE);
  }

  /** The same with other changes of the metadata. */
  public static Action.WriteNode commit(
      Node node, Disruption.Committed next, Node.Removing says, MetadataChange with) {
    return Action.WriteNode.of(
        node,
        NodePrecondition.unchanged(node),
        new NodeChange.OfStatus(
            with.recording(Optional.of(next)),
            List.of(ConditionChange.removal(node, Optional.of(says)))),
        NodePurpose.COMMIT);
  }
}
