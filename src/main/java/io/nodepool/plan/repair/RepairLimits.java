package io.nodepool.plan.repair;

import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.disruption.cause.DisruptionAdmission;
import io.nodepool.plan.disruption.cause.DisruptionAdmission.Decision;
import io.nodepool.plan.repair.WaitingRepairs.Why;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The limits of the repairs of a pool that are carried out (decision D33).
 *
 * @param failed which Nodes whose machines did not come back may leave, as this plan has it: they
 *     have the same limits
 */
public record RepairLimits(
    PoolSnapshot seen, FailedReboots failed, Instant now, PlanSettings settings) {
  static final Why RATE = Why.pace("At most one repair of the NodePool begins each minute.");

  /**
   * How long a Node is cordoned until its repair may be carried out: a source that is wrong about
   * many machines reports them within that time, and is suspected then.
   */
  private static final Duration LOOK = Duration.ofMinutes(1);

  static final Why YOUNG =
      Why.pace(
          "It is cordoned for less than a minute; what is reported about other machines may show that its source is wrong.");

  /** When the next alert is suspected again that a user has released. */
  Optional<Instant> releasedUntil() {
    return seen.pool().spec().pause().suspects().until().values().stream()
        .filter(now::isBefore)
        .min(Instant::compareTo);
  }

  static Why why(Decision.Held held) {
    String most = Messages.count(held.most(), "Node");
    return switch (held.limit()) {
      case FLEET_UNKNOWN ->
          Why.held(RepairsHeldReason.FLEET_UNKNOWN, "The fleet cannot be reached.");
      case UNAVAILABLE ->
          Why.held(
              RepairsHeldReason.TOO_MANY_UNAVAILABLE,
              "%d of at most %d are unavailable, for whatever cause; no other Node is cordoned."
                  .formatted(held.count(), held.most()));
      case IN_FLIGHT ->
          Why.pace(
              "%d of at most %s of the NodePool are being repaired.".formatted(held.count(), most));
      case IN_FLIGHT_IN_FLEET ->
          Why.pace(
              "%d of at most %s of all NodePools are being repaired."
                  .formatted(held.count(), most));
      case RATE -> RATE;
      case AT_ONCE -> Why.pace("Many Nodes are cordoned at this moment.");
      case PAUSED, IN_A_ROW -> throw new IllegalStateException(held.toString());
    };
  }

  /** Whether another repair may be carried out (decision D33). */
  public Decision decision() {
    int inPool = LostNodes.inFlight(seen, failed, now, settings);
    int most = RolloutSettings.Limit.DEFAULT.of(seen.members().count(Members.Trait.CURRENT));
    int inFleet = inPool + seen.availability().inFlightElsewhere();
    if (seen.offer() instanceof PoolSnapshot.Offer.Lost) {
      return new Decision.Held(DisruptionAdmission.Limit.FLEET_UNKNOWN, 1, 0);
    }
    if (inPool >= most) {
      return new Decision.Held(DisruptionAdmission.Limit.IN_FLIGHT, inPool, most);
    }
    if (inFleet >= LostNodes.MOST_IN_FLEET) {
      return new Decision.Held(
          DisruptionAdmission.Limit.IN_FLIGHT_IN_FLEET, inFleet, LostNodes.MOST_IN_FLEET);
    }
    return now.isBefore(dueAt())
        ? new Decision.Held(DisruptionAdmission.Limit.RATE, 1, 1)
        : new Decision.Admitted();
  }

  Duration between() {
    return LostNodes.between(settings);
  }

  /** When the repair of a Node that is cordoned for it may be carried out at the earliest. */
  Instant dueAt(Member member) {
    return member.disruption().orElseThrow().since().plus(LOOK.dividedBy(settings.speed()));
  }

  /** When another repair may be carried out by the rate. */
  Instant dueAt() {
    return LostNodes.dueAfter(LostNodes.last(seen, failed, now), now, settings);
  }
}
