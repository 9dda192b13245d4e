package io.nodepool.plan;

import io.nodepool.model.node.Disruption;
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
        new Disruption.Notes(Instant.MIN, cause.what().isRemovalRequest()));
  }

  /** A Node that was chosen by its pool and is drained. */
  public static Disruption.Committed committed(CandidateRank rank, Instant at, Instant forceAt) {
    return new Disruption.Committed(
        1,
        List.of(new ScaleDownCause(rank).at(at)),
        Disruption.Cordon.OURS,
        at,
        Disruption.Limits.leaving(forceAt));
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
  public static Action.RecordDisruption record(Node node, Disruption next) {
    DisruptionMarks.Cordoning cordoning =
        next instanceof Disruption.Admitted admitted && admitted.cordon() == Disruption.Cordon.OURS
            ? DisruptionMarks.Cordoning.CORDON
            : DisruptionMarks.Cordoning.KEEP;
    NodePurpose change =
        next instanceof Disruption.Requested ? NodePurpose.NOTE : NodePurpose.ADMIT;
    return new Action.RecordDisruption(
        node.name(),
        node.uid(),
        node.version(),
        change,
        Optional.of(next),
        DisruptionMarks.NONE.with(cordoning));
  }

  /** Cordons a Node again that another client uncordoned. */
  public static Action.RecordDisruption cordonAgain(Node node) {
    return new Action.RecordDisruption(
        node.name(),
        node.uid(),
        node.version(),
        node.disruption(),
        NodePurpose.CORDON_AGAIN,
        node.disruption(),
        DisruptionMarks.NONE.with(DisruptionMarks.Cordoning.CORDON));
  }

  /** Withdraws the disruption of a Node. */
  public static Action.RecordDisruption withdraw(
      Node node, boolean uncordon, Optional<? extends Disruption> instead) {
    return new Action.RecordDisruption(
        node.name(),
        node.uid(),
        node.version(),
        NodePurpose.WITHDRAW,
        instead.map(passed -> passed),
        DisruptionMarks.NONE.with(
            uncordon ? DisruptionMarks.Cordoning.UNCORDON : DisruptionMarks.Cordoning.KEEP));
  }

  /** Commits the disruption of a Node. */
  public static Action.CommitDisruption commit(
      Node node, Disruption.Committed next, Node.Removing says) {
    return new Action.CommitDisruption(
        node.name(),
        node.uid(),
        node.version(),
        next,
        Optional.of(says),
        node.removing().isEmpty(),
        DisruptionMarks.NONE);
  }
}
