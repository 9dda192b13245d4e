package io.nodepool.plan.repair;

import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.members.FaultyMembers.Group;
import io.nodepool.model.members.Members;
import io.nodepool.model.members.Places;
import io.nodepool.model.members.RepairPlace;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.MachineRepair;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.repair.RackRepair;
import io.nodepool.model.repair.RepairState;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Messages;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.disruption.UnavailableNodes;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Decision;
import io.nodepool.plan.disruption.admission.DisruptionAdmission.Limit;
import io.nodepool.plan.disruption.cause.RepairPermission;
import io.nodepool.plan.repair.WaitingRepairs.Why;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The limits that repairs, failed reboots and outages of a pool share: how many at once, and how
 * fast they begin (decision D33).
 *
 * @param failed the failed reboots in this plan: their Nodes leave within the same limits
 */
@RecordBuilder
public record RepairLimits(
    PoolSnapshot seen, FailedReboots failed, Instant now, PlanSettings settings)
    implements RepairLimitsCopy.With {
  /** The time between the beginnings of two repairs of a pool. */
  private static final Duration BETWEEN = Duration.ofMinutes(1);

  /** How many may be repaired or leave at once in all pools. */
  public static final int MOST_IN_FLEET = 10;

  /** Another one began less than a minute ago, or in this plan. */
  static final Decision BEGUN = new Decision.Held(Limit.RATE, 1, 1);

  /** The alert catalogue cannot be read. */
  static final Decision.Held UNGRADED = new Decision.Held(Limit.CATALOGUE_UNREADABLE, 1, 0);

  static final Why RATE = Why.pace("At most one repair of the NodePool begins each minute.");

  static final Why YOUNG =
      Why.pace(
          "It is cordoned for less than a minute; what is reported about other machines may show that its source is wrong.");

  /** When the first release of a suspected alert ends. */
  Optional<Instant> releasedUntil() {
    return seen.pool().spec().repair().suspects().until().values().stream()
        .filter(now::isBefore)
        .min(Instant::compareTo);
  }

  Why why(Decision.Held held) {
    String most = Messages.count(held.most(), "Node");
    return switch (held.limit()) {
      case FLEET_UNKNOWN ->
          Why.held(RepairsHeldReason.FLEET_UNKNOWN, "The fleet cannot be reached.");
      case UNWATCHED ->
          Why.held(
              RepairsHeldReason.UNWATCHED,
              "No operator watched for a while; no repair begins until %s."
                  .formatted(Messages.instant(heldUntil())));
      case CATALOGUE_UNREADABLE ->
          Why.held(
              RepairsHeldReason.CATALOGUE_UNREADABLE,
              "No machine is repaired, since the changes of the alert catalogue could not be read since the operator started; correct or delete the ConfigMap %s. %s"
                  .formatted(AlertCatalogue.CONFIG_MAP, seen.watched().ungraded().orElse("")));
      case UNAVAILABLE ->
          Why.held(
              RepairsHeldReason.TOO_MANY_UNAVAILABLE,
              "Unavailable, for whatever cause: %d of at most %d; no other Node is cordoned."
                  .formatted(held.count(), held.most()));
      case IN_FLIGHT ->
          Why.pace(
              "At most %s of the NodePool at once: %s."
                  .formatted(most, String.join(", ", underWay())));
      case IN_FLIGHT_IN_FLEET ->
          Why.pace(
              "Being repaired, about to be, or leaving after a failed reboot: %d of at most %s of all NodePools."
                  .formatted(held.count(), most));
      case RATE -> RATE;
      case AT_ONCE -> Why.pace("Many Nodes are cordoned at this moment.");
      case PAUSED, MACHINE, IN_A_ROW -> throw new IllegalStateException(held.toString());
    };
  }

  /**
   * How many Nodes of the pool are repaired or may be, and how many leave or may leave because
   * their machines did not come back.
   */
  private int inPool() {
    return failed.leaving(seen.members()) + last().inFlight(seen.members(), valid());
  }

  /** What uses up the limit of the pool. The Nodes of a rack count as one, and are named as one. */
  private List<String> underWay() {
    Members members = seen.members();
    Optional<RackRepair> together = rack();
    int ofRack = together.map(each -> each.underWay(members)).orElse(0);
    int apart = members.count(Members.Trait.UNDER_REPAIR) - ofRack;
    int leaving = failed.leaving(members);
    return Stream.of(
            part(apart, "%d is being repaired", "%d are being repaired"),
            together.map(each -> "the Nodes of rack %s, which count as one".formatted(each.rack())),
            part(last().isBeginning(members, valid()) ? 1 : 0, "%d may begin", ""),
            part(leaving, "%d leaves after a failed reboot", "%d leave after failed reboots"))
        .flatMap(Optional::stream)
        .toList();
  }

  private static Optional<String> part(int count, String one, String more) {
    return count == 0 ? Optional.empty() : Optional.of((count == 1 ? one : more).formatted(count));
  }

  /** The state that the pool publishes. */
  RepairState last() {
    return seen.pool().repairs();
  }

  /** The published permissions that have not expired. */
  RepairState unexpiredPermissions() {
    return RepairState.NONE
        .withAdmitted(last().admitted())
        .withRack(rack())
        .withRacks(last().racks());
  }

  /** Permissions from before this instant have expired. */
  private Instant valid() {
    return now.minus(permitted());
  }

  private Duration permitted() {
    return RepairPermission.PERMITTED.dividedBy(settings.speed());
  }

  /** The rack whose Nodes are repaired together; empty once their repair is over. */
  Optional<RackRepair> rack() {
    return last().rack().filter(each -> each.lasts(seen.members(), valid()));
  }

  /** When the rack's permission expires, if none of its Nodes has begun. */
  Optional<Instant> rackUntil() {
    return rack()
        .filter(each -> each.underWay(seen.members()) == 0)
        .map(each -> each.at().plus(permitted()));
  }

  /** The last permission; empty if it has expired. */
  Optional<RepairState.Admitted> unexpired() {
    return last().admitted().filter(each -> each.at().isAfter(valid()));
  }

  /** When the last permission expires; empty if it has expired or its Node has used it. */
  Optional<Instant> unusedUntil() {
    return unexpired()
        .filter(each ->
            seen.members()
                .find(each.hostUid())
                .filter(member -> isUnused(each, member))
                .isPresent())
        .map(each -> each.at().plus(permitted()));
  }

  private static boolean isUnused(RepairState.Admitted admitted, Member member) {
    return admitted.sequence() == member.node().map(RepairState.Admitted::sequence).orElse(1)
        && (admitted.verifies()
            ? member.disruption().filter(Disruption.Committed.class::isInstance).isEmpty()
            : MachineRepair.admitted(member).stream()
                .anyMatch(repair -> repair.alert().equals(admitted.alert())));
  }

  /** Whether the permission of its rack covers this Node, and has not expired. */
  boolean isCovered(RackRepair rack, Member member) {
    return rack.covers(dueAt(member, rack.alert())) && rack.at().isAfter(valid());
  }

  /** Whether no rack is repaired together in any pool. */
  boolean isWithoutRack() {
    return rack().isEmpty() && seen.availability().inFlightElsewhere().racks() == 0;
  }

  /**
   * The unavailable Nodes of a pool, or its racks, and the number at which no other Node is
   * cordoned for a repair.
   *
   * @param rackSize as for {@link UnavailableNodes#of}
   */
  public static UnavailableNodes level(PoolSnapshot seen, int rackSize) {
    return UnavailableNodes.of(seen, seen.pool().spec().repair().limits().unavailable(), rackSize);
  }

  /** How many of these members of a pool may be repaired or leave at once. */
  public static int most(Pool pool, Members members) {
    return pool.spec().repair().limits().atOnce().of(members.count(Members.Trait.CURRENT));
  }

  /** How many are repaired or leave in all pools, without racks that are repaired together. */
  private int inFleet() {
    return inPool()
        - (rack().isPresent() ? 1 : 0)
        + seen.availability().inFlightElsewhere().single();
  }

  /** Whether a repair may begin if only the rate limits it. */
  Decision byRate() {
    return unlessBraked(() -> now.isBefore(dueAt()) ? BEGUN : new Decision.Admitted());
  }

  /** Whether another Node may be repaired or leave. */
  public Decision decision() {
    return unlessBraked(this::counted);
  }

  /** The decision of the limits that count Nodes. */
  Decision counted() {
    return decision(inPool(), most(seen.pool(), seen.members()), inFleet(), dueAt(), now);
  }

  /** This decision, unless a brake permits nothing to begin. */
  Decision unlessBraked(Supplier<Decision> counted) {
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Known _ when seen.watched().ungraded().isPresent() -> UNGRADED;
      case PoolSnapshot.Offer.Known _ when now.isBefore(heldUntil()) ->
          new Decision.Held(Limit.UNWATCHED, 1, 0);
      case PoolSnapshot.Offer.Known _ -> counted.get();
      case PoolSnapshot.Offer.Lost _ -> new Decision.Held(Limit.FLEET_UNKNOWN, 1, 0);
    };
  }

  /**
   * Until when nothing begins after a long time without an operator: old alerts may be over
   * (decision D319).
   */
  private Instant heldUntil() {
    return seen.watched()
        .resumed()
        .map(at -> at.plus(settings.repair().hold()))
        .orElse(Instant.MIN);
  }

  /**
   * Whether another Node may be repaired or leave.
   *
   * @param inPool how many of its pool are in flight, of {@code most}
   * @param inFleet how many of all pools are in flight
   * @param dueAt when the rate permits another one
   */
  static Decision decision(int inPool, int most, int inFleet, Instant dueAt, Instant now) {
    if (inPool >= most) {
      return new Decision.Held(Limit.IN_FLIGHT, inPool, most);
    }
    if (inFleet >= MOST_IN_FLEET) {
      return new Decision.Held(Limit.IN_FLIGHT_IN_FLEET, inFleet, MOST_IN_FLEET);
    }
    return now.isBefore(dueAt) ? BEGUN : new Decision.Admitted();
  }

  /** The repairs that may be carried out under the policy of the pool, by alert. */
  Places<RepairPlace> able() {
    return seen.members().byFault().in(keepsWork() ? Group.CORDONED_KEEPING_WORK : Group.CORDONED);
  }

  /** Whether the pool protects work from repairs. */
  boolean keepsWork() {
    return seen.pool().spec().lifecycle().disableUnhealthyNodeEviction();
  }

  /** The time between the beginnings of two repairs of a pool. */
  private Duration between() {
    return BETWEEN.dividedBy(settings.speed());
  }

  /** When a Node that is cordoned for this alert may be repaired for it at the earliest. */
  Instant dueAt(Member member, String alert) {
    return RepairPermission.dueAt(member.disruption().orElseThrow(), alert, settings);
  }

  /**
   * When the rate of at most one each minute permits another repair. A time ahead of this clock, or
   * from before this operator watched, does not count.
   */
  private Instant dueAt() {
    Instant last =
        Stream.concat(
                failed.row().stream(), last().admitted().map(RepairState.Admitted::at).stream())
            .filter(at -> !at.isAfter(now) && at.isAfter(seen.watched().since()))
            .max(Instant::compareTo)
            .orElse(seen.watched().since());
    return last.isAfter(now) ? Instant.MAX : last.plus(between());
  }

  /** When to ask again. */
  Instant nextDue() {
    return Stream.of(dueAt(), heldUntil())
        .filter(at -> at.isAfter(now))
        .max(Instant::compareTo)
        .orElseGet(this::afterThis);
  }

  /** When to ask again after one that begins now. */
  Instant afterThis() {
    return now.plus(between());
  }
}
