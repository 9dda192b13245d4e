package io.nodepool.plan.report;

import io.nodepool.model.node.ReportedState;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.NodesInState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.pool.Summary;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.ConditionStatus;
import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import io.nodepool.vocabulary.condition.NodesRemovedReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.vocabulary.condition.RepairsHeldReason;
import io.nodepool.vocabulary.condition.SummaryReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The most important fact about a pool: the first reason that holds, with its sentence from
 * elsewhere in the status. Pure: depends on the status to publish and the pool's annotations.
 */
public record StatusSummary(Pool pool, PoolStatus status) {
  /** The greatest size of its sentence, in bytes. */
  private static final int MOST_BYTES = 1024;

  /** The summary; empty if the status has no conditions yet. */
  public Optional<Summary> first() {
    return all().findFirst();
  }

  /** Each reason that holds, the most important first. */
  public Stream<Summary> all() {
    return Arrays.stream(SummaryReason.values())
        .flatMap(reason ->
            sentence(reason)
                .map(text -> new Summary(reason, Messages.cut(text, MOST_BYTES)))
                .stream());
  }

  /** Why this reason holds; empty if it does not. */
  private Optional<String> sentence(SummaryReason reason) {
    return switch (reason) {
      case DELETION_FAILS -> with(NodesRemovedReason.INTERNAL_ERROR);
      case DELETING -> when(PoolCondition.NODES_REMOVED, _ -> true);
      case INVALID -> with(ValidatedReason.INVALID);
      case CONFIGURATION_MISSING -> with(ValidatedReason.NODE_CONFIG_INTERNAL_ERROR);
      case FLEET_UNKNOWN -> with(ValidatedReason.INTERNAL_ERROR);
      case INTERNAL_ERROR -> with(AtTargetReason.INTERNAL_ERROR);
      case DISABLED ->
          Optional.of(status.nodeProfile())
              .filter(_ -> status.configuration().isDisabled())
              .map(
                  "The active configuration %s is disabled: no machine boots it, and the NodePool does not grow."
                      ::formatted);
      case REBOOTS_FAILED -> status.failedReboots().hold().map(_ -> status.failedReboots().why());
      case PAUSED ->
          Optional.of(
                  "A user holds the NodePool as it is (annotation %s): no Node begins to leave or to be rolled out."
                      .formatted(PoolAnnotations.PAUSED.key()))
              .filter(_ -> pool.spec().pause().isSet());
      case ROLLOUT_PAUSED -> rollout(RolloutState.Phase.PAUSED).map(RolloutState::reason);
      case REPAIRS_HELD ->
          when(PoolCondition.REPAIRS_HELD, each -> each != RepairsHeldReason.ONLY_OBSERVED);
      case RACK_ALERT ->
          status.repairs().racks().stream()
              .findFirst()
              .map(each ->
                  "Rack %s has the alert %s: a person has to act."
                      .formatted(each.rack(), each.alert()));
      case OVER_QUOTA -> with(QuotaReason.OVER);
      case NO_QUOTA -> with(QuotaReason.NOT_SET);
      case WAITS_FOR_MACHINES ->
          when(PoolCondition.CAPACITY, each -> each.status() == ConditionStatus.FALSE);
      case STAGING_FAILS -> with(NodeReconfigurationReason.INTERNAL_ERROR);
      case ROLLING_OUT -> rollout(RolloutState.Phase.RUNNING).flatMap(_ -> reconfiguration());
      case NODES_NOT_READY ->
          states("%s not Ready: %s.", ReportedState.NOT_READY)
              .or(() -> states("%s without a running machine: %s.", ReportedState.NOT_IN_SERVICE));
      case NODES_ALERTING -> states("%s with alerts: %s.", ReportedState.ALERTING);
      case OBSERVING -> with(RepairsHeldReason.ONLY_OBSERVED);
      case GROWING -> with(AtTargetReason.UNDER_TARGET);
      case SHRINKING -> with(AtTargetReason.OVER_TARGET);
      case ROLLOUT_STOPPED -> rollout(RolloutState.Phase.STOPPED).flatMap(_ -> outdated());
      case REBOOT_PENDING -> outdated();
      case READY -> with(AtTargetReason.TARGET_MET);
    };
  }

  private Optional<String> when(PoolCondition type, Predicate<PoolReason> holds) {
    return status.condition(type).filter(each -> holds.test(each.reason())).map(Condition::message);
  }

  private Optional<String> with(PoolReason reason) {
    return when(reason.condition(), reason::equals);
  }

  private Optional<RolloutState> rollout(RolloutState.Phase phase) {
    return Optional.of(status.configuration().rollout()).filter(each -> each.phase() == phase);
  }

  private Optional<String> reconfiguration() {
    return when(PoolCondition.NODE_RECONFIGURATION_REQUIRED, _ -> true);
  }

  private Optional<String> outdated() {
    return with(NodeReconfigurationReason.STAGED_NODE_CONFIG);
  }

  private Optional<String> states(String form, ReportedState state) {
    return Stream.ofNullable(status.counts().states().get(state))
        .map(nodes ->
            form.formatted(
                Messages.count(nodes.count(), "Node"),
                Messages.list(nodes.names(), NodesInState.NAMED, nodes.count())))
        .findFirst();
  }
}
