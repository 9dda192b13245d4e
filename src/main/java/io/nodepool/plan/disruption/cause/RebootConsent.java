package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.RequestTimes;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.plan.MetadataChange;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.NodePrecondition;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Whether the annotation {@code nodepool.io/reboot-policy: Immediate} of a Node belongs to the
 * request on it (decision D164). It belongs to one request: it was set while the Node had that
 * request, or at most two minutes before the request. The times are read live, so that every
 * operator process decides the same.
 */
public sealed interface RebootConsent {
  /** The Node has no such annotation. */
  record None() implements RebootConsent {}

  /** The times at which the annotation and the request were set must be read first. */
  record Unread() implements RebootConsent {}

  /** No request has come yet; one that comes before this instant is immediate. */
  record Waiting(Instant until) implements RebootConsent {}

  /** The request on the Node is immediate. */
  record Given() implements RebootConsent {}

  /**
   * The annotation belongs to no request on the Node, and is taken off.
   *
   * @param policyAt when it was set; empty if that is not recorded
   * @param why in a sentence: {@code "The annotation is taken off: " + why}
   */
  record Spent(Optional<Instant> policyAt, String why) implements RebootConsent {}

  /** Whether a Node has the annotation with the value that interrupts work. */
  static boolean isPolicySet(Node node) {
    return NodeAnnotations.IMMEDIATE.equals(
        node.metadata().annotations().get(NodeAnnotations.REBOOT_POLICY.key()));
  }

  /** What the annotation on a Node means now. */
  static RebootConsent of(
      Node node, MachineSnapshot.Requested requested, Instant now, PlanSettings settings) {
    if (!isPolicySet(node) || isCarriedOut(node)) {
      return new None();
    }
    boolean ended = requested.ended() || isOfAnother(node);
    Duration valid = settings.reboot().unfinished();
    if (!ended && RebootRequest.word(node).isEmpty()) {
      // Each process waits by its own clock, which does not decide whether a later request is
      // immediate.
      Instant until = requested.aloneSince().orElse(now).plus(valid);
      if (now.isBefore(until)) {
        return new Waiting(until);
      }
    }
    return requested
        .times()
        .<RebootConsent>map(times ->
            ended
                ? new Spent(times.policy(), "the request that it belonged to has ended")
                : of(node, times, valid))
        .orElseGet(Unread::new);
  }

  private static RebootConsent of(Node node, RequestTimes times, Duration valid) {
    if (times.policy().isEmpty()) {
      return new Spent(times.policy(), "the API server has no record of when it was set");
    }
    if (RebootRequest.word(node).isEmpty()) {
      return new Spent(times.policy(), "there was no request within " + Messages.duration(valid));
    }
    Instant until = times.policy().get().plus(valid);
    return times.label().filter(labelAt -> !labelAt.isAfter(until)).isPresent()
        ? new Given()
        : new Spent(
            times.policy(),
            "it was set more than %s before the request".formatted(Messages.duration(valid)));
  }

  /**
   * Whether a reboot is committed while a request is on the Node: whether the request is immediate
   * is decided when the Node is back.
   */
  private static boolean isCarriedOut(Node node) {
    return node.isCommitted() && !RebootRequest.word(node).isEmpty();
  }

  /** Whether a recorded immediate request was for a state that is no longer requested. */
  private static boolean isOfAnother(Node node) {
    return node.disruption().flatMap(Disruption::admission).stream()
        .flatMap(admitted -> admitted.causes().stream())
        .filter(cause -> KnownCause.of(cause).isImmediate())
        .flatMap(cause -> cause.what().state().stream())
        .anyMatch(state -> !state.word().equals(RebootRequest.word(node)));
  }

  /** The action that this needs: a read of the times, or the removal of a spent annotation. */
  default Optional<PlannedAction> step(Node node) {
    return switch (this) {
      case None _, Waiting _, Given _ -> Optional.empty();
      case Unread _ -> Optional.of(read(node));
      case Spent(Optional<Instant> policyAt, String why) ->
          Optional.of(
              new PlannedAction(
                  List.of(
                      new EventDraft(
                          EventReason.NODE_REQUEST_REFUSED,
                          EventDraft.Regarding.of(node),
                          "policy " + policyAt.map(Instant::toString).orElse("without a time"),
                          "The annotation %s=%s of Node %s is taken off: %s."
                              .formatted(
                                  NodeAnnotations.REBOOT_POLICY.key(),
                                  NodeAnnotations.IMMEDIATE,
                                  node.name(),
                                  why))),
                  Action.WriteNode.of(
                      node,
                      NodePrecondition.unchanged(node),
                      new NodeChange.OfSpec(
                          MetadataChange.NONE.withAnnotation(
                              NodeAnnotations.REBOOT_POLICY.key(), Optional.empty()),
                          NodeChange.Cordoning.KEEP),
                      NodePurpose.DROP_REBOOT_POLICY),
                  why));
    };
  }

  /** The live read of when the request on a Node and the annotation were set. */
  static PlannedAction read(Node node) {
    return PlannedAction.quiet(
        new Action.AskRequestTimes(node.name(), node.uid(), node.version()),
        "whether its policy belongs to the present request depends on when both were set");
  }

  /** When this changes by itself. */
  default Optional<Instant> wakeup() {
    return this instanceof Waiting(Instant until) ? Optional.of(until) : Optional.empty();
  }
}
