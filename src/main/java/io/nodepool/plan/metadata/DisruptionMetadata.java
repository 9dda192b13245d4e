package io.nodepool.plan.metadata;

import io.nodepool.fleet.Reservation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodeChange.Cordoning;
import io.nodepool.plan.disruption.cause.CauseKind;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.RebootConsent;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a disruption changes on its Node beside the record: the cordon, its reason, the labels of
 * causes, and the requests that are used up.
 */
public record DisruptionMetadata(Node node) {
  /** The value of the label of a cause, such as a preemption (seed 004). */
  private static final String IN_FORCE = "true";

  /** The reason of the operator's cordon, and the labels of causes. */
  public MetadataChange of(Disruption.Active next) {
    MetadataChange labelled = labelled(unlabelled(MetadataChange.NONE), next.causes());
    return next.cordon() == Disruption.Cordon.OURS
        ? labelled.withAnnotation(NodeAnnotations.CORDON_REASON.key(), Optional.of(next.words()))
        : labelled;
  }

  /** The new reason of the operator's cordon, if the commitment leaves causes out. */
  public MetadataChange reason(Disruption.Committed next) {
    boolean changes =
        next.cordon() == Disruption.Cordon.OURS
            && node.activeDisruption()
                .filter(last -> isReason(last) && !last.words().equals(next.words()))
                .isPresent();
    return changes
        ? MetadataChange.NONE.withAnnotation(
            NodeAnnotations.CORDON_REASON.key(), Optional.of(next.words()))
        : MetadataChange.NONE;
  }

  /** Whether the reason of the cordon is the one that was written for this disruption. */
  private boolean isReason(Disruption.Active last) {
    return last.words()
        .equals(node.metadata().annotations().get(NodeAnnotations.CORDON_REASON.key()));
  }

  /** This change with the labels of these causes. */
  public static MetadataChange labelled(MetadataChange change, List<Disruption.Cause> causes) {
    return with(
        change, causes.stream().map(cause -> KnownCause.of(cause).kind()), Optional.of(IN_FORCE));
  }

  /** This change without the labels of any cause. */
  private static MetadataChange unlabelled(MetadataChange change) {
    return with(change, KnownCause.Catalogue.ALL.stream(), Optional.empty());
  }

  private static MetadataChange with(
      MetadataChange change, Stream<CauseKind> kinds, Optional<String> value) {
    MetadataChange next = change;
    for (NodeLabels label : kinds.flatMap(kind -> kind.label().stream()).toList()) {
      next = next.withLabel(label.key(), value);
    }
    return next;
  }

  /** The mark that the machine did not come back from this reboot. */
  public static MetadataChange lost(Disruption.Committed reboot) {
    return MetadataChange.NONE.withAnnotation(
        NodeAnnotations.REBOOT_FAILED.key(), Optional.of(reboot.name()));
  }

  /**
   * Removes the reason of the operator's cordon, and the mark of a failed reboot; the reason of
   * another client stays.
   */
  public MetadataChange released(Disruption.Active last) {
    MetadataChange unmarked =
        MetadataChange.NONE.withAnnotation(NodeAnnotations.REBOOT_FAILED.key(), Optional.empty());
    return isReason(last)
        ? unmarked.withAnnotation(NodeAnnotations.CORDON_REASON.key(), Optional.empty())
        : unmarked;
  }

  /**
   * Removes all that an admitted disruption changed and the policy of its request. If the request
   * was cancelled, it is removed too.
   */
  public MetadataChange withdrawn(Disruption.Admitted last, boolean cancelled) {
    MetadataChange released = released(last);
    return unlabelled(
        cancelled
            ? withoutRequests(released, last.causes())
            : withoutPolicy(released, last.causes()));
  }

  /**
   * This change with the next state of the Node, and the reservation and taint of that state. In
   * production a client may want another reservation; that is set later, when work has ended.
   *
   * @param pool the name of its pool
   * @param organization the organization that the fleet's Nodes are for; empty text if it is not
   *     known
   */
  public NodeChange.OfSpec inState(
      MetadataChange change,
      Cordoning cordoning,
      LifecycleState state,
      String pool,
      String organization) {
    NodeDraft draft = new NodeDraft(node.metadata());
    draft.label(NodeLabels.STATE.key(), state.word());
    String reserved = Reservation.of(state.word(), pool, organization);
    boolean isOfClient =
        state == LifecycleState.PRODUCTION
            && !node.metadata().label(NodeLabels.RESERVED_DESIRED).isEmpty();
    if (!reserved.isEmpty() && !isOfClient) {
      Reserving.reserve(state.word(), reserved, Optional.empty(), draft);
    }
    NodeChange.OfSpec drafted = draft.change();
    MetadataChange labelled = change;
    for (Map.Entry<String, Optional<String>> label : drafted.metadata().labels().entrySet()) {
      labelled = labelled.withLabel(label.getKey(), label.getValue());
    }
    return new NodeChange.OfSpec(
        labelled.on(node.metadata().labels(), node.metadata().annotations()),
        cordoning,
        drafted.taints());
  }

  /** Ends the operator's cordon; a cordon of another client stays. */
  public Cordoning uncordoning(Disruption.Active last) {
    return last.cordon() == Disruption.Cordon.OURS && node.cordoned()
        ? Cordoning.UNCORDON
        : Cordoning.KEEP;
  }

  /**
   * Removes the request for one of these causes, which have ended; a request for another state
   * stays. A cause that is no request answers no request for the same state.
   */
  public MetadataChange withoutRequests(MetadataChange change, List<Disruption.Cause> causes) {
    Optional<LifecycleState> request = RebootRequest.of(node);
    boolean ended =
        causes.stream()
            .filter(cause -> cause.rule().request().isPresent())
            .anyMatch(cause -> cause.what().state().equals(request));
    return ended
        ? change
            .withLabel(NodeLabels.PENDING_STATE.key(), Optional.empty())
            .withAnnotation(NodeAnnotations.REBOOT_POLICY.key(), Optional.empty())
        : change;
  }

  /**
   * Removes the policy of a request among these causes, which are committed or have ended, so that
   * it forces no other request.
   */
  public MetadataChange withoutPolicy(MetadataChange change, List<Disruption.Cause> causes) {
    boolean used =
        RebootConsent.isPolicySet(node)
            && causes.stream().anyMatch(cause -> KnownCause.of(cause).isImmediate());
    return used
        ? change.withAnnotation(NodeAnnotations.REBOOT_POLICY.key(), Optional.empty())
        : change;
  }
}
