package io.nodepool.plan.node;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.ConditionChange;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Keeps the conditions of a Node about its lifecycle up to date (contract §10, §12): PhaseState
 * follows the state label, PendingPhaseState the label of a request, NLCCImmediateReboot the power
 * cycle of the machine.
 */
final class LifecycleReport {
  private static final String REQUESTED = "Requested, and not ended yet.";
  private static final String TOO_LATE =
      "The request was taken back after it was committed; it goes on.";

  private static final String REPAIR = "An alert asks for it, and it has not ended yet.";

  private LifecycleReport() {}

  /** The one write that brings the conditions up to date; empty if they are. */
  static Optional<PlannedAction> of(
      MachineSnapshot seen, Node node, Instant now, PlanSettings settings) {
    Node.Lifecycle last = node.status().lifecycle();
    Optional<String> refusal =
        seen.offer()
            .map(FleetOffer::capabilities)
            .flatMap(capabilities -> RebootRequest.refusal(node, capabilities));
    Node.Lifecycle next =
        last.withPhase(phase(node, last))
            .withPending(pending(node, refusal, now, settings))
            .withRebooting(isRebooting(seen.host(), node));
    if (next.equals(last)) {
      return Optional.empty();
    }
    boolean refused =
        refusal.isPresent() && last.pending().filter(before -> !before.status()).isEmpty();
    List<EventDraft> eventDrafts = new ArrayList<>();
    if (refused) {
      eventDrafts.add(refused(node, refusal.get()));
    }
    if (isTooLate(next) && !isTooLate(last)) {
      eventDrafts.add(tooLate(node));
    }
    return Optional.of(
        new PlannedAction(
            eventDrafts,
            Action.WriteNode.report(node, NodePurpose.REPORT_LIFECYCLE, changes(last, next)),
            refused ? "its request cannot be met" : "its lifecycle changed"));
  }

  private static List<ConditionChange> changes(Node.Lifecycle last, Node.Lifecycle next) {
    List<ConditionChange> changes = new ArrayList<>();
    if (!last.phase().equals(next.phase())) {
      changes.add(ConditionChange.phase(next.phase()));
    }
    if (last.rebooting() != next.rebooting()) {
      changes.add(ConditionChange.rebooting(next.rebooting()));
    }
    if (!last.pending().equals(next.pending())) {
      // One that a client appended a second time is there once afterwards.
      changes.add(new ConditionChange.Removed(NodeCondition.PENDING_PHASE_STATE));
      next.pending().map(ConditionChange::pending).ifPresent(changes::add);
    }
    return changes;
  }

  private static boolean isTooLate(Node.Lifecycle lifecycle) {
    return lifecycle.pending().filter(each -> each.message().equals(TOO_LATE)).isPresent();
  }

  /** The state of a client's request that is carried out; empty without one. */
  private static Optional<LifecycleState> carriedOut(Node node) {
    if (!(node.disruption().orElse(null) instanceof Disruption.Committed committed)
        || committed.isLeaving()) {
      return Optional.empty();
    }
    List<Disruption.Cause> requests =
        committed.causes().stream().filter(cause -> cause.rule().request().isPresent()).toList();
    return requests.isEmpty() ? Optional.empty() : Optional.of(RebootRequest.stateOf(requests));
  }

  /** Whether it was written for something else than the label of a request, and ends with that. */
  private static boolean isOwn(Node.Pending condition) {
    return condition.message().equals(REPAIR) || condition.message().equals(TOO_LATE);
  }

  private static EventDraft tooLate(Node node) {
    Disruption.Committed committed = (Disruption.Committed) node.disruption().orElseThrow();
    return new EventDraft(
        EventReason.NODE_REQUEST_REFUSED,
        EventDraft.Regarding.of(node),
        DisruptionEvents.number(committed) + "/taken back",
        "The request %s of Node %s was taken back after it was committed: it goes on."
            .formatted(carriedOut(node).orElseThrow().word(), node.name()),
        1);
  }

  /** The state in which the machine of the Node is to be repaired; empty if it is not. */
  private static Optional<LifecycleState> repair(Node node) {
    return node.disruption().flatMap(Disruption::active).stream()
        .filter(active -> !(active instanceof Disruption.Committed gone && gone.isLeaving()))
        .flatMap(active -> active.causes().stream())
        .filter(cause -> cause.what().isRepair())
        .flatMap(cause -> cause.what().state().stream())
        .findFirst();
  }

  private static Node.Pending pending(
      LifecycleState state, String message, Optional<Node.Pending> last, Instant now) {
    return new Node.Pending(
        true,
        state.word(),
        message,
        last.filter(before -> before.status() && before.phase().equals(state.word()))
            .map(Node.Pending::since)
            .orElse(now),
        1);
  }

  /** Whether a power cycle was requested and the Node does not show the boot after it yet. */
  private static boolean isRebooting(Host host, Node node) {
    return host.isRebooting()
        || (node.isCommitted()
            && host.boot()
                .filter(request ->
                    request.kind().boots() && request.from().equals(node.status().bootId()))
                .isPresent());
  }

  /** The write that shows a request by its condition before it begins; empty if that does. */
  static Optional<PlannedAction> ofRequest(
      MachineSnapshot seen, Node node, Instant now, PlanSettings settings) {
    boolean shown = node.status().lifecycle().pending().isPresent();
    return RebootRequest.word(node).isEmpty() || shown
        ? Optional.empty()
        : of(seen, node, now, settings);
  }

  /**
   * PhaseState follows the label. A Node in production without the condition is not given one: that
   * is its fleet's.
   */
  private static String phase(Node node, Node.Lifecycle last) {
    String state = node.metadata().label(NodeLabels.STATE);
    boolean unreported = last.phase().isEmpty() && state.equals(LifecycleState.PRODUCTION.word());
    return state.isEmpty() || unreported ? last.phase() : state;
  }

  private static Optional<Node.Pending> pending(
      Node node, Optional<String> refusal, Instant now, PlanSettings settings) {
    String word = RebootRequest.word(node);
    Optional<Node.Pending> last = node.status().lifecycle().pending();
    Optional<LifecycleState> carriedOut = carriedOut(node);
    Optional<LifecycleState> repair = repair(node);
    if (word.isEmpty() && carriedOut.isEmpty() && repair.isPresent()) {
      return Optional.of(pending(repair.get(), REPAIR, last, now));
    }
    if (word.isEmpty() && carriedOut.isPresent()) {
      return Optional.of(pending(carriedOut.get(), TOO_LATE, last, now));
    }
    if (word.isEmpty()) {
      return last.filter(condition -> !isOwn(condition))
          .filter(condition -> now.isBefore(staysUntil(node, condition, now, settings)));
    }
    boolean status = refusal.isEmpty();
    Optional<Node.Pending> same =
        last.filter(before -> before.status() == status && before.phase().equals(word));
    return Optional.of(
        new Node.Pending(
            status,
            word,
            refusal.orElseGet(() ->
                // A request that is made again after it was taken back waits as a first one does.
                same.filter(before -> !isOwn(before)).map(Node.Pending::message).orElse(REQUESTED)),
            same.map(Node.Pending::since).orElse(now),
            1));
  }

  /**
   * Until when a condition without its label stays. Clients write the condition first and the label
   * after it. One from before the end of the last disruption belongs to a request that has ended.
   * The time of one is its client's: if it lies further ahead than the condition stays, the clocks
   * differ so much that nothing follows from it (decision D216).
   */
  private static Instant staysUntil(
      Node node, Node.Pending condition, Instant now, PlanSettings settings) {
    Duration stays = settings.reboot().unfinished();
    boolean over =
        node.disruption().orElse(null) instanceof Disruption.PassedOver last
            && !condition.since().isAfter(last.at());
    return over || condition.since().isAfter(now.plus(stays))
        ? Instant.MIN
        : condition.since().plus(stays);
  }

  /** When a condition without its label is removed. */
  static Optional<Instant> wakeup(Node node, Instant now, PlanSettings settings) {
    return RebootRequest.word(node).isEmpty()
        ? node.status()
            .lifecycle()
            .pending()
            .map(condition -> staysUntil(node, condition, now, settings))
            .filter(at -> at.isAfter(now))
        : Optional.empty();
  }

  private static EventDraft refused(Node node, String why) {
    return new EventDraft(
        EventReason.NODE_REQUEST_REFUSED,
        EventDraft.Regarding.of(node),
        "request " + RebootRequest.word(node),
        why,
        1);
  }
}
