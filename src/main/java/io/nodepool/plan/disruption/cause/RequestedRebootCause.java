package io.nodepool.plan.disruption.cause;

import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.Word;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/**
 * A client requested that the Node be rebooted or verified (contract §12, decisions D66 and D145).
 * The Node stays in its pool.
 *
 * @param requested the requested state
 * @param isImmediate whether busy work is interrupted for it
 */
public record RequestedRebootCause(LifecycleState requested, boolean isImmediate)
    implements KnownCause {
  private static final CauseRule RULE =
      CauseRule.STAYING
          .withStanding(CauseRule.Standing.DERIVED)
          .withRequest(Optional.of(NodeLabels.PENDING_STATE));

  static final CauseKind REBOOT =
      new CauseKind(
              "Reboot",
              "its reboot was requested",
              "A client requested a reboot or a power reset. The Node stays in its pool; its machine is rebooted, and verified afterwards.",
              RULE,
              RequestedRebootCause::read)
          .withFound(RequestedRebootCause::found);
  static final CauseKind RECONFIGURATION =
      new CauseKind(
          "Reconfiguration",
          "its reconfiguration was requested",
          "A client requested a reboot into the staged configuration. The Node is cordoned until it is idle, and stays in its pool.",
          RULE,
          RequestedRebootCause::read);
  static final CauseKind VERIFICATION =
      new CauseKind(
          "Verification",
          "its verification was requested",
          "A client requested that the machine be verified, without a reboot. The Node stays in its pool.",
          RULE,
          RequestedRebootCause::read);

  private static final String IMMEDIATE = "/" + NodeAnnotations.IMMEDIATE;

  private static RequestedRebootCause read(String reference) {
    boolean immediate = reference.endsWith(IMMEDIATE);
    String word =
        immediate ? reference.substring(0, reference.length() - IMMEDIATE.length()) : reference;
    return new RequestedRebootCause(
        Word.of(LifecycleState.class, word).orElseThrow(IllegalArgumentException::new), immediate);
  }

  /** The request on the Node, for any state; so only one kind looks for it. */
  private static Optional<Disruption.Cause> found(CauseFacts facts) {
    return present(facts).map(facts::since);
  }

  /**
   * The request on the Node. Until it is known whether it is immediate, a recorded request stays as
   * it is, and no other request counts.
   */
  private static Optional<RequestedRebootCause> present(CauseFacts facts) {
    Optional<LifecycleState> request = facts.request();
    return switch (facts.consent()) {
      case RebootConsent.None _, RebootConsent.Waiting _, RebootConsent.Spent _ ->
          request.map(state -> new RequestedRebootCause(state, false));
      case RebootConsent.Given _ -> request.map(state -> new RequestedRebootCause(state, true));
      case RebootConsent.Unread _ ->
          facts
              .recordedCauses()
              .map(Disruption.Cause::what)
              .filter(RequestedRebootCause.class::isInstance)
              .map(RequestedRebootCause.class::cast)
              .filter(carried -> request.filter(carried.requested::equals).isPresent())
              .max(Comparator.comparing(RequestedRebootCause::isImmediate));
    };
  }

  @Override
  public CauseKind kind() {
    return switch (requested) {
      case REBOOT, POWER_RESET -> REBOOT;
      case RECONFIGURE -> RECONFIGURATION;
      case VERIFICATION, PRODUCTION, ZAP, TRIAGE -> VERIFICATION;
    };
  }

  /**
   * A safe request only demands an idle Node. An immediate request interrupts work once its cordon
   * has settled, and boots the machine a minute later, whatever Pods are left (D66).
   */
  @Override
  public Demand demand(Instant at, CauseFacts facts) {
    Demand.Window window =
        isImmediate
            ? new Demand.Window(
                Instant.MIN,
                at,
                at,
                at.plus(facts.settings().removal().settle())
                    .plus(facts.settings().reboot().forced()))
            : facts.whenIdle();
    return Demand.of(window, new DisruptionEnding.Reboot(RebootRequest.kind(requested)));
  }

  /** A reconfiguration keeps the Node cordoned until its work ends (decision D66). */
  @Override
  public boolean endsWhenBusy(Instant at, CauseFacts facts) {
    return requested != LifecycleState.RECONFIGURE && !isImmediate;
  }

  /** A request that never interrupts work stays on the Node. */
  @Override
  public TakenBack takenBack(CauseFacts facts) {
    return isImmediate ? TakenBack.NO : TakenBack.UNHARMED;
  }

  @Override
  public String withdrawnText(CauseFacts facts) {
    if (facts.node().filter(node -> !node.registered()).isPresent()) {
      return "it is not registered";
    }
    boolean stands = facts.node().flatMap(RebootRequest::of).filter(requested::equals).isPresent();
    return stands ? "its fleet does not offer that any more" : "its request was taken back";
  }

  @Override
  public String reference() {
    return isImmediate ? requested.word() + IMMEDIATE : requested.word();
  }

  @Override
  public Optional<LifecycleState> state() {
    return Optional.of(requested);
  }
}
