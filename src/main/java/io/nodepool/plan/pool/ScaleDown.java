package io.nodepool.plan.pool;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.CauseRule;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.occurrence.BatchState;
import io.nodepool.model.pool.RemovalBatch;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.disruption.admission.DisruptionAdmission;
import io.nodepool.plan.disruption.cause.KnownCause;
import io.nodepool.plan.disruption.cause.PoolDeletionCause;
import io.nodepool.plan.disruption.cause.ScaleDownCause;
import io.nodepool.plan.node.NodeDeletion;
import io.nodepool.plan.node.NodeRecord;
import io.nodepool.plan.node.PowerOff;
import io.nodepool.plan.pool.ScaleDownCandidates.Outcome;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Decides which Nodes must leave and which admissions are withdrawn, so that the pool reaches its
 * target. The machine's planner plans the steps of an admitted Node.
 */
final class ScaleDown {
  private static final int NAMED = 3;

  private ScaleDown() {}

  /**
   * The scale-down of a pool.
   *
   * @param plannedActions the actions that admit disruptions and withdraw them
   * @param beingRemoved how many Nodes are being removed once these actions are done
   * @param choice the choice that the actions follow
   * @param held which Nodes stay because a user paused the pool, as text; empty if none do
   */
  record Outlook(
      PoolSnapshot seen,
      Instant now,
      List<PlannedAction> plannedActions,
      int beingRemoved,
      ScaleDownCandidates.Choice choice,
      String held) {
    /** The batch as the status reports it; a Node that was never read counts as it did before. */
    RemovalBatch batch() {
      RemovalBatch last = seen.pool().status().removal();
      BatchState batch = seen.ledger().batch(CauseRule.CountsAs.REMOVAL).seen();
      int removed = count(Members.Trait.BEING_REMOVED);
      int neverRead = count(Members.Trait.UNREAD) + seen.unread().size();
      int unread = Math.clamp(batch.underWay() - (long) removed, 0, neverRead);
      int blocked = count(Members.Trait.BLOCKED);
      int forced = count(Members.Trait.FORCED);
      int draining = count(Members.Trait.DRAINING) + blocked + forced;
      return new RemovalBatch(
          batch.number(),
          removed + unread,
          draining + Math.clamp(last.draining() - (long) draining, 0, unread),
          blocked + Math.clamp(last.blocked() - (long) blocked, 0, unread),
          forced + Math.clamp(last.forced() - (long) forced, 0, unread),
          count(Members.Trait.TROUBLED));
    }

    private int count(Members.Trait trait) {
      return seen.members().count(trait);
    }

    /**
     * The Nodes being removed and the Nodes that must wait, as text to append to a count; empty if
     * there are none.
     */
    String text() {
      List<String> parts = new ArrayList<>();
      if (beingRemoved > 0) {
        parts.add("%d being removed".formatted(beingRemoved));
      }
      if (!held.isEmpty()) {
        parts.add(held);
      }
      List<String> busy = names(Outcome.WAITING);
      List<String> passed = names(Outcome.PASSED_OVER);
      if (!busy.isEmpty() || !passed.isEmpty()) {
        parts.add(waiting(busy, passed));
      }
      NodeDeletion.awaited(seen.members()).ifPresent(parts::add);
      PoolDeletion.trouble(seen).ifPresent(parts::add);
      return parts.isEmpty() ? "" : ": " + String.join("; ", parts);
    }

    /**
     * The Nodes that cannot be removed yet. Nodes that are passed over are named separately,
     * because they may be idle by now.
     */
    private String waiting(List<String> busy, List<String> passed) {
      return "%d must wait%s%s"
          .formatted(
              choice.missing(),
              busy.isEmpty()
                  ? ""
                  : " for tenant workloads to end on %s: %s"
                      .formatted(
                          Messages.count(busy.size(), "busy node"), Messages.list(busy, NAMED)),
              passed.isEmpty()
                  ? ""
                  : "%s passed over for some minutes, because tenant work or a person kept %s: %s"
                      .formatted(
                          busy.isEmpty() ? ": " : "; ",
                          passed.size() == 1 ? "it" : "them",
                          Messages.list(passed, NAMED)));
    }

    private List<String> names(Outcome outcome) {
      return choice
          .with(outcome)
          .map(verdict -> verdict.member().host().id().name())
          .sorted()
          .toList();
    }

    /** When to plan again if nothing changes. */
    Optional<Instant> wakeup() {
      Stream<Instant> passed =
          choice
              .with(Outcome.PASSED_OVER)
              .flatMap(verdict -> verdict.member().passedOverUntil(now).stream());
      Stream<Instant> reads =
          choice
              .with(Outcome.CHOSEN)
              .flatMap(verdict ->
                  PowerOff.nextRead(verdict.member().findings().liveRead(), now).stream());
      return Stream.concat(passed, reads).min(Instant::compareTo);
    }
  }

  /** Plans the scale-down to this many Nodes. */
  static Outlook plan(
      PoolSnapshot seen, DisruptionAdmission admission, int target, int rackSize, Instant now) {
    int tooMany = tooMany(seen, target);
    boolean paused = admission.isPaused(ScaleDownCause.RULE);
    int excess = paused ? 0 : tooMany;
    ScaleDownCandidates.Choice choice = ScaleDownCandidates.choose(seen, excess, rackSize, now);
    List<PlannedAction> plannedActions = new ArrayList<>();
    String why =
        paused
            ? admission.pauseText()
            : excess <= 0
                ? "its pool has no Node too many any more"
                : "another Node is to leave in its place";
    choice.kept().forEach(kept -> plannedActions.add(withdraw(seen, kept, why, now)));
    int admitted = admit(seen, admission, choice, now, plannedActions);
    joinPreempted(seen, now, plannedActions);
    int beingRemoved =
        seen.members().count(Members.Trait.BEING_REMOVED) - choice.kept().size() + admitted;
    String held = paused && tooMany > 0 ? "%d kept, because %s".formatted(tooMany, why) : "";
    return new Outlook(seen, now, plannedActions, beingRemoved, choice, held);
  }

  /** The verdicts on all Nodes that could leave, in the order of removal, at this target. */
  static List<ScaleDownCandidates.Ordered> order(
      PoolSnapshot seen, int target, int rackSize, Instant now) {
    boolean paused = DisruptionAdmission.of(seen).isPaused(ScaleDownCause.RULE);
    return ScaleDownCandidates.all(seen, tooMany(seen, target), rackSize, paused, now);
  }

  /** The number of surplus booted Nodes. */
  private static int tooMany(PoolSnapshot seen, int target) {
    return seen.staying() - target - HostScaling.notUp(seen);
  }

  private static PlannedAction withdraw(PoolSnapshot seen, Member kept, String why, Instant now) {
    return new NodeRecord(kept.node().orElseThrow(), seen.pool().id())
        .withdraw(kept.revocable().orElseThrow(), now, why);
  }

  /**
   * A pool that is being deleted demands its preempted Nodes too, whichever came first: an idle
   * preempted Node then leaves at once.
   */
  private static void joinPreempted(
      PoolSnapshot seen, Instant now, List<PlannedAction> plannedActions) {
    if (!seen.pool().isTerminating()) {
      return;
    }
    KnownCause deletion = new PoolDeletionCause(Optional.empty());
    seen.members()
        .having(Members.Trait.REVOCABLE)
        .filter(member -> !member.isFrozen() && !ScaleDownCandidates.stays(seen, member, now))
        .filter(member ->
            member
                .revocable()
                .filter(active ->
                    active.counts(CauseRule.CountsAs.PREEMPTION) && !isOf(active, deletion))
                .isPresent())
        .forEach(member ->
            plannedActions.add(
                new NodeRecord(member.node().orElseThrow(), seen.pool().id())
                    .demand(deletion, now)));
  }

  private static KnownCause cause(PoolSnapshot seen, ScaleDownCandidates.Verdict verdict) {
    return seen.pool().isTerminating()
        ? new PoolDeletionCause(Optional.of(verdict.rank()))
        : new ScaleDownCause(verdict.rank());
  }

  /** Whether a cause of this kind is recorded, for any rank. */
  private static boolean isOf(Disruption.Active active, KnownCause cause) {
    return active.causes().stream()
        .anyMatch(each -> KnownCause.of(each).kind().equals(cause.kind()));
  }

  /** Adds the actions that start removals. Returns the number of Nodes. */
  private static int admit(
      PoolSnapshot seen,
      DisruptionAdmission admission,
      ScaleDownCandidates.Choice choice,
      Instant now,
      List<PlannedAction> plannedActions) {
    int admitted = 0;
    for (ScaleDownCandidates.Verdict verdict : choice.with(Outcome.CHOSEN).toList()) {
      Member member = verdict.member();
      KnownCause cause = cause(seen, verdict);
      if (member.revocable().filter(active -> isOf(active, cause)).isPresent()
          || !admission.admit(cause, member, false).isAdmitted()) {
        continue;
      }
      if (member.node().isPresent()) {
        admitted += member.revocable().isPresent() ? 0 : 1;
        plannedActions.add(
            new NodeRecord(member.node().get(), seen.pool().id())
                .demand(cause, now)
                .withWhy(verdict.text()));
      } else if (member.underWay().isEmpty()) {
        PowerOff.plannedAction(
                member.host(),
                seen.pool().id(),
                member.findings().liveRead(),
                Optional.empty(),
                List.of(),
                verdict.text(),
                now)
            .ifPresent(plannedActions::add);
      }
    }
    return admitted;
  }
}
