package io.nodepool.plan.disruption.cause;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Reclaim;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.Node;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.Demand;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The preemption of a spot Node (seed 004, decisions D67 and D70): its fleet announces on the Host
 * that it reclaims the machine. The Node is cordoned at once, drained after the warning even if it
 * is idle, because clients rely on the timeline, and gone at the end of the window.
 *
 * @param noticedAt when the fleet announced it
 */
public record PreemptionCause(Instant noticedAt) implements KnownCause {
  private static final CauseRule RULE =
      CauseRule.REMOVAL_BY_MACHINE
          .withStanding(CauseRule.Standing.DERIVED)
          .withCountsAs(CauseRule.CountsAs.PREEMPTION)
          .withSettles(false);

  static final CauseKind KIND =
      new CauseKind(
              "Preemption",
              "it is preempted, because its fleet reclaims the machine",
              "The fleet reclaims the machine of a spot Node. The Node leaves within the window of the preemption, whatever runs on it.",
              RULE,
              text -> new PreemptionCause(Instant.parse(text)))
          .withFound(facts -> facts.host().flatMap(Host::preemption).map(PreemptionCause::of))
          .withLabel(Optional.of(NodeLabels.PENDING_PREEMPTION))
          .withProgressLabel(Optional.of(NodeLabels.EVICTED_AT));

  private static Disruption.Cause of(Reclaim notice) {
    return new PreemptionCause(notice.announcedAt()).at(notice.announcedAt());
  }

  @Override
  public CauseKind kind() {
    return KIND;
  }

  /** The demand that follows from the fleet's notice; without a notice only an idle Node leaves. */
  @Override
  public Demand demand(Instant at, CauseFacts facts) {
    return facts
        .host()
        .flatMap(Host::preemption)
        .map(notice -> demand(notice, facts.settings().preemption()))
        .orElseGet(() -> Demand.of(facts.whenIdle(), new DisruptionEnding.Leave()));
  }

  /** The demand that follows from this notice. */
  public static Demand demand(Reclaim notice, PlanSettings.PreemptionSettings settings) {
    return Demand.of(window(notice, settings), new DisruptionEnding.Leave());
  }

  private static Demand.Window window(Reclaim notice, PlanSettings.PreemptionSettings settings) {
    Instant announced = notice.announcedAt();
    Instant longest = announced.plus(settings.window());
    Instant stop = notice.reclaimAt().isBefore(longest) ? notice.reclaimAt() : longest;
    Instant force = stop.minus(settings.forced());
    Instant warned = announced.plus(settings.warning());
    Instant drain = warned.isBefore(force) ? warned : force;
    return new Demand.Window(drain, drain, force, stop);
  }

  /** Its drain begins at an instant from outside, whatever runs on the Node. */
  @Override
  public boolean endsWhenBusy(Instant at, CauseFacts facts) {
    return false;
  }

  @Override
  public String reference() {
    return noticedAt.toString();
  }

  @Override
  public String cordonText(PoolId pool) {
    return "it is preempted";
  }

  @Override
  public Optional<String> keptText(Instant at, CauseFacts facts) {
    return facts
        .host()
        .flatMap(Host::preemption)
        .map(notice -> window(notice, facts.settings().preemption()))
        .map(window ->
            "It stays if its fleet withdraws that before %s, when its drain begins; its machine stops at %s at the latest."
                .formatted(
                    Messages.instant(window.notBefore()), Messages.instant(window.stopAt())));
  }

  @Override
  public String withdrawnText(CauseFacts facts) {
    return "its fleet withdrew the notice of preemption";
  }

  @Override
  public Optional<EventDraft> announced(Node node, PoolId pool) {
    return Optional.of(
        eventDraft(
            EventReason.PREEMPTION_PENDING,
            node,
            pool,
            "will be preempted: its machine is reclaimed. No new Pods are scheduled to it."));
  }

  @Override
  public Optional<EventDraft> progress(Node node, PoolId pool) {
    return Optional.of(
        eventDraft(
            EventReason.PREEMPTION_IN_PROGRESS,
            node,
            pool,
            "is being preempted: its Pods are evicted."));
  }

  @Override
  public PlannedAction ended(PlannedAction deletion, Node node, PoolId pool, int cutOff) {
    String rest = cutOff == 0 ? "" : " " + Messages.count(cutOff, "Pod") + " cut off.";
    return deletion
        .after(
            List.of(
                eventDraft(
                    EventReason.DELETED_FOR_PREEMPTION,
                    node,
                    pool,
                    "is preempted and deleted." + rest)))
        .withWhy("it is preempted and its machine is stopped." + rest);
  }

  private EventDraft eventDraft(EventReason reason, Node node, PoolId pool, String what) {
    return new EventDraft(
        reason,
        EventDraft.Regarding.of(node),
        "preemption " + reference(),
        "Node %s of NodePool %s %s".formatted(node.name(), pool.name(), what));
  }
}
