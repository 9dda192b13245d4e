package io.nodepool.plan.node;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
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
record LifecycleReport(MachineSnapshot seen, Node node, Instant now, PlanSettings settings) {
  private static final String REQUESTED = "Requested, and not ended yet.";
  private static final String TOO_LATE =
      "The request was taken back after it was committed; it goes on.";

  private static final String REPAIR = "An alert asks for it, and it has not ended yet.";

  /** The one write that brings the conditions up to date; empty if they are up to date. */
  Optional<PlannedAction> next() {
    Node.Lifecycle last = node.status().lifecycle();
    Optional<String> refusal =
        seen.offer()
            .map(FleetOffer::capabilities)
            .flatMap(capabilities -> RebootRequest.refusal(node, capabilities));
    Node.Lifecycle next =
        last.withPhase(phase(last)).withPending(pending(refusal)).withRebooting(isRebooting());
    if (next.equals(last)) {
      return Optional.empty();
    }
    boolean refused =
        refusal.isPresent() && last.pending().filter(before -> !before.status()).isEmpty();
    List<EventDraft> eventDrafts = new ArrayList<>();
    if (refused) {
      eventDrafts.add(refused(refusal.get()));
    }
    if (isTooLate(next) && !isTooLate(last)) {
      eventDrafts.add(tooLate());
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
      // A condition that a client appended twice is present once afterwards.
      changes.add(new ConditionChange.Removed(NodeCondition.PENDING_PHASE_STATE));
      next.pending().map(ConditionChange::pending).ifPresent(changes::add);
    }
    return changes;
  }

  private static boolean isTooLate(Node.Lifecycle lifecycle) {
    return lifecycle.pending().filter(each -> each.message().equals(TOO_LATE)).isPresent();
  }

  /** The state of a client's request that is carried out; empty if there is none. */
  private Optional<LifecycleState> carriedOut() {
    return node.commitment()
        .filter(committed -> !committed.isLeaving())
        .map(reboot ->
            reboot.causes().stream().filter(cause -> cause.rule().request().isPresent()).toList())
        .filter(requests -> !requests.isEmpty())
        .map(RebootRequest::stateOf);
  }

  /** Whether it was written for a repair or a request taken back too late, and ends with that. */
  private static boolean isOwn(NodeStatus.Entry condition) {
    return condition.message().equals(REPAIR) || condition.message().equals(TOO_LATE);
  }

  private EventDraft tooLate() {
    return new EventDraft(
        EventReason.NODE_REQUEST_REFUSED,
        EventDraft.Regarding.of(node),
        DisruptionEvents.number(node.commitment().orElseThrow()) + "/taken back",
        "The request %s of Node %s was taken back after it was committed: it goes on."
            .formatted(carriedOut().orElseThrow().word(), node.name()));
  }

  /** The state in which the machine of the Node is to be repaired; empty if it is not. */
  private Optional<LifecycleState> repair() {
    return node.activeDisruption().filter(_ -> !node.isDraining()).stream()
        .flatMap(active -> active.causes().stream())
        .filter(cause -> cause.what().isRepair())
        .flatMap(cause -> cause.what().state().stream())
        .findFirst();
  }

  /** Whether a power cycle was requested and the Node does not show the boot after it yet. */
  private boolean isRebooting() {
    Host host = seen.host();
    return host.isRebooting()
        || (node.isCommitted()
            && host.boot()
                .filter(request ->
                    request.kind().boots() && request.from().equals(node.status().bootId()))
                .isPresent());
  }

  /** The write of the condition of a request before the request begins; empty if it is present. */
  Optional<PlannedAction> ofRequest() {
    return RebootRequest.word(node).isEmpty() || last().isPresent() ? Optional.empty() : next();
  }

  /**
   * PhaseState follows the label. A Node in production without the condition gets none: its fleet
   * writes that one.
   */
  private String phase(Node.Lifecycle last) {
    String state = node.metadata().label(NodeLabels.STATE);
    boolean unreported = last.phase().isEmpty() && state.equals(LifecycleState.PRODUCTION.word());
    return state.isEmpty() || unreported || isAboutToBoot() ? last.phase() : state;
  }

  /** Whether the request to boot is the next step: the state of the reboot is reported with it. */
  private boolean isAboutToBoot() {
    return seen.host().hold(now).isEmpty()
        && node.commitment()
            .filter(reboot -> !reboot.isLeaving())
            .filter(reboot -> RebootRequest.asked(seen.host(), node, reboot).isEmpty())
            .isPresent();
  }

  /** PendingPhaseState as the Node shows it; empty without that condition. */
  private Optional<NodeStatus.Entry> last() {
    return node.status().lifecycle().pending();
  }

  private Optional<NodeStatus.Entry> pending(Optional<String> refusal) {
    String word = RebootRequest.word(node);
    if (word.isEmpty()) {
      return carriedOut()
          .map(state -> pending(true, state.word(), TOO_LATE))
          .or(() -> repair().map(state -> pending(true, state.word(), REPAIR)))
          .or(() ->
              last().filter(condition -> !isOwn(condition) && now.isBefore(staysUntil(condition))));
    }
    // A request that is repeated after it was taken back waits like a first request.
    String waits =
        last(true, word)
            .filter(before -> !isOwn(before))
            .map(NodeStatus.Entry::message)
            .orElse(REQUESTED);
    return Optional.of(pending(refusal.isEmpty(), word, refusal.orElse(waits)));
  }

  /** The condition as the Node shows it, if it shows this request with this status. */
  private Optional<NodeStatus.Entry> last(boolean status, String word) {
    return last().filter(before -> before.status() == status && before.reason().equals(word));
  }

  private NodeStatus.Entry pending(boolean status, String word, String message) {
    Instant since = last(status, word).map(NodeStatus.Entry::since).orElse(now);
    return new NodeStatus.Entry(status, word, message, since, 1);
  }

  /**
   * Until when a condition without its label stays. Clients write the condition first and the label
   * after it. A condition from before the end of the last disruption belongs to a request that has
   * ended. The client sets the time of a condition: if it is further ahead than the condition may
   * stay, the clocks differ too much, and the condition does not stay (decision D216).
   */
  private Instant staysUntil(NodeStatus.Entry condition) {
    Duration stays = settings.reboot().unfinished();
    boolean over =
        node.passedOver().filter(last -> !condition.since().isAfter(last.at())).isPresent();
    return over || condition.since().isAfter(now.plus(stays))
        ? Instant.MIN
        : condition.since().plus(stays);
  }

  /** When a condition without its label is removed. */
  Optional<Instant> wakeup() {
    return last()
        .filter(_ -> RebootRequest.word(node).isEmpty())
        .map(this::staysUntil)
        .filter(at -> at.isAfter(now));
  }

  private EventDraft refused(String why) {
    return new EventDraft(
        EventReason.NODE_REQUEST_REFUSED,
        EventDraft.Regarding.of(node),
        "request " + RebootRequest.word(node),
        why);
  }
}
