package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.condition.AcceptedReason;
import io.nodepool.vocabulary.condition.AllocatedReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.MetadataSyncedReason;
import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import io.nodepool.vocabulary.condition.NodesRemovedReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import io.nodepool.vocabulary.condition.SufficientCapacityReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.truth.Wording.Check;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BiPredicate;
import java.util.function.Predicate;

/** The texts that may be written for each reason of a pool's conditions, each with its check. */
final class PoolConditionWordings {
  private PoolConditionWordings() {}

  /** The texts of this reason. */
  static List<Wording> of(PoolReason reason) {
    return switch (reason) {
      case ValidatedReason of ->
          switch (of) {
            case VALID -> SpecWordings.VALID;
            case INVALID -> SpecWordings.INVALID;
            case NODE_CONFIG_INTERNAL_ERROR -> ConfigurationWordings.MISSING;
            case INTERNAL_ERROR -> NO_OFFER;
          };
      case CapacityReason of ->
          switch (of) {
            case SUFFICIENT -> SUFFICIENT;
            case PARTIAL,
                NONE_AVAILABLE,
                NONE_AVAILABLE_NODE_AFFINITY,
                PARTIAL_NODE_AFFINITY,
                QUEUED_AWAITING_CAPACITY ->
                SHORTAGE;
            case INTERNAL_ERROR -> CAPACITY_NOT_KNOWN;
            case NOT_CHECKED ->
                List.of(
                    Wording.ofPool(
                        "The capacity is checked once the spec of the NodePool is valid.",
                        INVALID));
          };
      case QuotaReason of ->
          switch (of) {
            case UNDER -> SpecWordings.UNDER_QUOTA;
            case OVER -> OVER_QUOTA;
            case NOT_SET, INTERNAL_ERROR -> QUOTA_NOT_KNOWN;
            case NOT_CHECKED ->
                List.of(
                    Wording.ofPool(
                        "The quota is checked once the spec of the NodePool is valid.", INVALID),
                    Wording.ofPool(
                        "An operator began to lead less than a minute ago. Whether the one before it granted the quota to another NodePool is not known yet.",
                        SpecWordings.CONTESTED_QUOTA));
          };
      case AtTargetReason of ->
          switch (of) {
            case TARGET_MET -> TARGET_MET;
            case PENDING_DELETE -> PENDING_DELETE;
            case OVER_TARGET -> OVER_TARGET;
            case UNDER_TARGET -> UNDER_TARGET;
            case INTERNAL_ERROR -> NOT_COUNTED;
          };
      case NodesRemovedReason of ->
          switch (of) {
            case COMPLETE -> ALL_REMOVED;
            case PENDING -> BEING_REMOVED;
            case INTERNAL_ERROR -> NOT_REMOVED;
          };
      case NodeReconfigurationReason of ->
          switch (of) {
            case STAGED_NODE_CONFIG, ALL_NODES_UP_TO_DATE, INTERNAL_ERROR ->
                ReconfigurationWordings.of(of);
          };
      case RepairsHeldReason of -> HealthWordings.held(of);
      case AcceptedReason of -> OldestWordings.of(of);
      case AllocatedReason of -> OldestWordings.of(of);
      case MetadataSyncedReason of -> OldestWordings.of(of);
      case SufficientCapacityReason of -> OldestWordings.of(of);
    };
  }

  static final Wording REFUSED_ASSIGNMENTS =
      Wording.ofPool(
          "The API server refuses to assign Hosts to the NodePool; it is tried again. {why*}",
          FORM);

  static final Wording MISSING_HOSTS =
      unknown("The machines of the NodePool cannot be counted, and their Nodes stay: {why*}");

  private static Wording unknown(String form) {
    return Wording.ofPool(
        form, Check.that(STATE, (_, moment) -> moment.noOffer(), "the fleet cannot be reached"));
  }

  private static final List<Wording> NO_OFFER =
      List.of(unknown("The fleet's offer could not be read: {why*}"));

  private static final List<Wording> SUFFICIENT =
      List.of(
          Wording.ofPool(
              "Sufficient capacity available for the requested instance type.",
              Check.that(
                  COUNT,
                  (_, moment) ->
                      moment.pool(pool ->
                          pool.spec().target() <= moment.held().most() + free(pool, moment)),
                  "so many machines are free")));

  /** How many machines the pool may take. */
  private static int free(Pool pool, Moment moment) {
    BiPredicate<Host, Optional<Node>> is =
        (host, _) ->
            host.isFree() && host.machine().instanceType().equals(pool.spec().instanceType());
    return moment.machines(is, is).most();
  }

  /** The free Hosts on which nothing begins, by what holds them. */
  private static final String HELD =
      "[ Not given out: {works#free Host} ({inMaintenance~works}), since its owner {maintenance*}.]"
          + "[ Not given out: {unread#free Host} ({unknown~unread}), since its fleet cannot {reading*}.]"
          + "[ Not given out: {old#free Host} ({stale~old}), since its fleet has not {again*}.]";

  private static void areHeld(TextForm.Statement read, Moment moment) {
    areHeld(read, "inMaintenance", Host.Hold.MAINTENANCE, moment);
    areHeld(read, "unknown", Host.Hold.POWER_UNKNOWN, moment);
    areHeld(read, "stale", Host.Hold.POWER_STALE, moment);
  }

  private static void areHeld(
      TextForm.Statement read, String names, Host.Hold hold, Moment moment) {
    if (read.has(names)) {
      read.names(names)
          .forEach(name ->
              moment.require(STATE, moment.isHeld(name, hold.text()), "that holds it", name));
    }
  }

  static final List<Wording> SHORTAGE =
      List.of(
          Wording.ofPool(
              "There are enough free machines of type {type*}, but its affinity admits only {available#} of the {wanted#} that it wants.",
              (read, moment) ->
                  isMissing(read.number("wanted") - read.number("available"), moment)),
          Wording.ofPool(
              "{nodes#Node} of type {type} {verb} queued until capacity[ offered as spot] becomes available; position {position#} of {places#} in the queue[, behind {ahead#Node} of {pools#other pool}].[ Only what its affinity admits counts.][ Set aside: {hosts#Host}.][ Waiting until the earlier Node of the same name is gone: {free#free Host} ({taken~free}).]"
                  + HELD,
              (read, moment) -> {
                SpecWordings.isOfType(read, moment);
                isMissing(read.number("nodes"), moment);
                isSetAside(read, moment);
                PoolWordings.areNamesTaken(read, moment);
                areHeld(read, moment);
                moment.require(
                    COUNT,
                    read.number("position") <= read.number("places"),
                    "the position is one in the queue");
              }),
          Wording.ofPool(
              "No [further ]machine of type {type*} is available for {nodes#Node}. Requests for this type are not queued.[ Set aside: {hosts#Host}.][ Waiting until the earlier Node of the same name is gone: {free#free Host} ({taken~free}).]"
                  + HELD,
              (read, moment) -> {
                isMissing(read.number("nodes"), moment);
                PoolWordings.areNamesTaken(read, moment);
                areHeld(read, moment);
              }),
          Wording.ofPool(
              "Machines of type {type*} are available for {available#} of {nodes#Node}. Requests for this type are not queued.[ Set aside: {hosts#Host}.][ Waiting until the earlier Node of the same name is gone: {free#free Host} ({taken~free}).]"
                  + HELD,
              (read, moment) -> {
                isMissing(read.number("nodes") - read.number("available"), moment);
                PoolWordings.areNamesTaken(read, moment);
                areHeld(read, moment);
              }));

  /** So many Nodes are missing at most: those that the pool does not hold yet. */
  private static void isMissing(int nodes, Moment moment) {
    moment.require(
        COUNT,
        moment.pool(pool -> pool.spec().target() - moment.held().least() >= nodes),
        "so many Nodes are missing",
        nodes);
  }

  private static void isSetAside(TextForm.Statement read, Moment moment) {
    int hosts = read.has("hosts") ? read.number("hosts") : 0;
    long setAside =
        moment.chronicle().hosts().values().stream()
            .filter(host -> moment.host(host.id().name(), each -> isSetAside(each, moment)))
            .count();
    moment.require(COUNT, hosts <= setAside, "so many Hosts are set aside", setAside);
  }

  private static boolean isSetAside(Host host, Moment moment) {
    return host.deliveries().isSetAside()
        && moment.pool(pool -> pool.spec().instanceType().equals(host.machine().instanceType()));
  }

  private static final Check INVALID =
      Check.pool(
          pool ->
              pool.status().condition(PoolCondition.VALIDATED).stream()
                  .anyMatch(condition -> condition.reason() == ValidatedReason.INVALID),
          "its configuration is invalid");

  private static final List<Wording> CAPACITY_NOT_KNOWN =
      List.of(REFUSED_ASSIGNMENTS, unknown("The capacity could not be read: {why*}"));

  static final List<Wording> OVER_QUOTA =
      List.of(
          Wording.ofPool(
              "Node Pool targetNodes pushes you over quota for {type} in {zone}. It would take {use#} of {quota#} Nodes.",
              (read, moment) -> {
                SpecWordings.isOfType(read, moment);
                int quota = read.number("quota");
                moment.require(COUNT, read.number("use") > quota, "it is over the quota");
                moment.require(
                    COUNT,
                    moment.offer(offer -> offer.quotaOf(read.word("type")).orElse(-1) == quota),
                    "this is the quota");
              }));

  private static Check quota(Predicate<OptionalInt> is, String what) {
    return Check.of(SpecWordings::isOfType)
        .and(
            Check.that(
                STATE,
                (read, moment) -> moment.offer(offer -> is.test(offer.quotaOf(read.word("type")))),
                what));
  }

  static final List<Wording> QUOTA_NOT_KNOWN =
      List.of(
          Wording.ofPool(
              "Quota not found for instance type {type} in zone {zone}.",
              quota(OptionalInt::isEmpty, "no quota is set")),
          Wording.ofPool(
              "quota limit is 0 for instance type {type} in zone {zone}.",
              quota(quota -> quota.orElse(-1) == 0, "the quota is 0")),
          unknown("The quota could not be read: {why*}"));

  private static final List<Wording> TARGET_MET =
      PoolWordings.besideHostless(
          Wording.ofPool(
              "NodePool has reached its target node count.",
              Check.that(
                  COUNT,
                  (_, moment) -> moment.pool(pool -> moment.registered().has(pool.spec().target())),
                  "it has as many Nodes as its target")));

  private static final List<Wording> PENDING_DELETE =
      List.of(
          Wording.ofPool(
              "NodePool is being deleted; its nodes are being removed.",
              Check.pool(Pool::isTerminating, "it is being deleted")));

  private static final List<Wording> OVER_TARGET =
      PoolWordings.besideHostless(
          Wording.ofPool(
              "NodePool has {nodes#node}, {excess#} more than its target of {target#}[: {rest*}].",
              (read, moment) -> {
                has(read.number("nodes"), read.number("target"), moment);
                moment.require(
                    COUNT,
                    read.number("nodes") - read.number("target") == read.number("excess"),
                    "the numbers add up");
              }));

  private static final List<Wording> UNDER_TARGET =
      PoolWordings.besideHostless(
          Wording.ofPool(
              "NodePool has {nodes#} of {target#node}: {progress#} in progress, {queued#} queued.[ {rest*}]",
              (read, moment) -> {
                has(read.number("nodes"), read.number("target"), moment);
                int held = read.number("nodes") + read.number("progress");
                moment.require(
                    COUNT, moment.held().most() >= held, "so many machines are in progress");
              }));

  private static void has(int nodes, int target, Moment moment) {
    moment.require(COUNT, moment.registered().has(nodes), "it has so many Nodes");
    moment.require(
        COUNT, moment.pool(pool -> pool.spec().target() == target), "this is its target");
  }

  /** What stands in place of a message that the API server refuses. */
  static final Wording LEFT_OUT =
      Wording.ofPool(
          "The API server refuses the message that belongs here; the Event CWNodePoolStatusRefused says why.",
          FORM);

  static final Wording REFUSED_NODES =
      Wording.ofPool(
          "The API server does not carry out what the pool asks for on {nodes#Node}: {names~nodes}. No further machine is taken and none is given back for it until that changes; it is tried again. {why*}",
          Wording.OWN);

  private static final List<Wording> NOT_COUNTED =
      PoolWordings.besideHostless(
          REFUSED_NODES,
          REFUSED_ASSIGNMENTS,
          MISSING_HOSTS,
          Wording.ofPool(
              "{machines#machine} cannot be read and {is} left as {they*}: {why*}", FORM));

  private static final List<Wording> ALL_REMOVED =
      List.of(
          Wording.ofPool(
              "All nodes have been removed from the NodePool.",
              Check.that(STATE, (_, moment) -> moment.held().has(0), "it holds no machine")));

  private static final List<Wording> BEING_REMOVED =
      PoolWordings.besideHostless(
          Wording.ofPool(
              "{nodes#node} left to remove[: {rest*}][; no removal begins while the fleet's offer cannot be read: {why*}].",
              (read, moment) -> {
                int left = read.number("nodes");
                moment.require(
                    COUNT,
                    moment.held().least() <= left
                        && moment.pool(
                            pool -> left <= Math.max(moment.held().most(), pool.spec().target())),
                    "so many machines are left");
              }));

  private static final List<Wording> NOT_REMOVED =
      PoolWordings.besideHostless(
          Wording.ofPool(
              "{nodes#node} cannot be removed at present: {what*}[; no removal begins while the fleet's offer cannot be read: {why*}]",
              PoolConditionWordings::holdsSoMany));

  static void holdsSoMany(TextForm.Statement read, Moment moment) {
    moment.require(
        COUNT, moment.held().most() >= read.number("nodes"), "it holds so many machines");
  }
}
