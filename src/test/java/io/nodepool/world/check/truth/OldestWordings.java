package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.FORM;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.vocabulary.condition.AcceptedReason;
import io.nodepool.vocabulary.condition.AllocatedReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.MetadataSyncedReason;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.SufficientCapacityReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.world.check.text.Range;
import io.nodepool.world.check.truth.Wording.Check;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/** The texts of the oldest reference, each with its check; most are those of the newer ones. */
final class OldestWordings {
  private OldestWordings() {}

  static List<Wording> of(AcceptedReason reason) {
    return switch (reason) {
      case ACCEPTED -> ofAll(ValidatedReason.VALID);
      case INTERNAL_ERROR ->
          ofAll(ValidatedReason.INTERNAL_ERROR, ValidatedReason.NODE_CONFIG_INTERNAL_ERROR);
      case INVALID -> but(NOT_IN_ZONE, ofAll(ValidatedReason.INVALID));
      case POLICY_VIOLATION -> only(NOT_IN_ZONE, ofAll(ValidatedReason.INVALID));
    };
  }

  static List<Wording> of(AllocatedReason reason) {
    return switch (reason) {
      case COMPLETE -> ofAll(AtTargetReason.TARGET_MET);
      case PENDING_DELETE -> ofAll(AtTargetReason.PENDING_DELETE);
      case OVER_TARGET -> ofAll(AtTargetReason.OVER_TARGET);
      case UNDER_TARGET -> ofAll(AtTargetReason.UNDER_TARGET);
      case POLICY_VIOLATION -> of(AcceptedReason.POLICY_VIOLATION);
      case INTERNAL_ERROR, UNKNOWN -> ofAll(AtTargetReason.INTERNAL_ERROR);
    };
  }

  static List<Wording> of(SufficientCapacityReason reason) {
    return switch (reason) {
      case SUFFICIENT -> ofAll(CapacityReason.SUFFICIENT);
      case PARTIAL -> ofAll(CapacityReason.PARTIAL);
      case NONE_AVAILABLE -> ofAll(CapacityReason.NONE_AVAILABLE);
      case INTERNAL_ERROR -> ofAll(CapacityReason.INTERNAL_ERROR, CapacityReason.NOT_CHECKED);
    };
  }

  static List<Wording> of(MetadataSyncedReason reason) {
    return switch (reason) {
      case SYNCED ->
          List.of(
              Wording.ofPool(
                  "All Nodes of the NodePool that stay have the labels, annotations and taints of its spec.",
                  Check.that(
                      STATE,
                      (_, moment) ->
                          moment.pool(pool ->
                              members(pool, false, moment).least() == 0
                                  && (pool.spec().target() == 0
                                      || members(pool, true, moment).most() > 0)),
                      "no Node that stays lacks them, and one has joined")));
      case PENDING ->
          List.of(
              Wording.ofPool(
                  "Not all Nodes of the NodePool have the labels, annotations and taints of its spec.",
                  Check.that(
                      STATE,
                      (_, moment) ->
                          moment.pool(pool ->
                              pool.keepsMetadata() || members(pool, false, moment).most() > 0),
                      "a Node lacks them")),
              Wording.ofPool(
                  "No Node of the NodePool has joined the cluster yet.",
                  Check.that(
                      STATE,
                      (_, moment) ->
                          moment.pool(pool ->
                              pool.spec().target() > 0 && members(pool, true, moment).least() == 0),
                      "none has joined that stays")));
      case UNKNOWN ->
          List.of(
              Wording.ofPool(
                  "Machines of the NodePool cannot be read, and so not what their Nodes have.",
                  Check.that(
                      STATE,
                      (_, moment) -> moment.noOffer() || moment.unreadable() > 0,
                      "a machine cannot be read")));
    };
  }

  static final Wording OVER_QUOTA =
      Wording.ofPool(
          "Node Pool targetNodes pushes you over quota for {type} in {zone}.",
          (read, moment) -> {
            SpecWordings.isOfType(read, moment);
            moment.require(
                STATE,
                moment.offer(offer -> offer.quotaOf(read.word("type")).orElse(0) > 0),
                "there is a quota");
          });

  static final List<Wording> ACTIVE =
      List.of(
          activity("Node {node} is active: {text*}", "True"),
          activity("Node {node} is idle: {text*}", "False"));

  /** A text that goes on with that of CWActive. */
  private static Wording activity(String form, String status) {
    return Wording.ofNode(
        form,
        (read, moment) -> {
          moment.names(read.word("node"));
          moment.require(
              FORM,
              Wording.check(
                  NodeConditionWordings.of(NodeCondition.ACTIVE, status),
                  read.word("text"),
                  moment),
              "CWActive has such a text");
        });
  }

  private static final String NOT_IN_ZONE = " is not available in zone ";

  private static List<Wording> only(String part, List<Wording> wordings) {
    return wordings.stream().filter(each -> each.form().toString().contains(part)).toList();
  }

  private static List<Wording> but(String part, List<Wording> wordings) {
    return wordings.stream().filter(each -> !each.form().toString().contains(part)).toList();
  }

  private static List<Wording> ofAll(PoolReason... reasons) {
    return Stream.of(reasons)
        .flatMap(each -> PoolConditionWordings.of(each).stream())
        .distinct()
        .toList();
  }

  /**
   * The pool's Nodes that carry other metadata than its spec has, or all of them. The least of them
   * are those that surely stay.
   */
  private static Range members(Pool pool, boolean all, Moment moment) {
    NodeTemplate wanted = pool.spec().node().permitted();
    BiPredicate<Host, Optional<Node>> is =
        (host, node) ->
            host.isHeldBy(moment.text().uid())
                && node.filter(each ->
                        all
                            || !each.metadata()
                                .applied()
                                .orElse(NodeTemplate.EMPTY)
                                .permitted()
                                .equals(wanted))
                    .isPresent();
    return moment.machines(
        (host, node) ->
            is.test(host, node)
                && host.power() == Host.Power.ON
                && host.preemption().isEmpty()
                && node.filter(each -> !each.isTerminating()).isPresent(),
        is);
  }
}
