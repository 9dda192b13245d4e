package io.nodepool.world.check.truth;

import io.nodepool.model.node.ReportedState;
import io.nodepool.model.pool.Condition;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.Summary;
import io.nodepool.vocabulary.condition.ConditionStatus;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.condition.SummaryReason;
import io.nodepool.world.check.text.Untruth;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * What the one word and the sentence of a pool's status may say: a text of the same status, which
 * is checked by itself, or what is so of the pool.
 */
final class SummaryTruth {
  private SummaryTruth() {}

  static void check(PoolStatus status, Summary summary, Moment moment) {
    String text = summary.message();
    boolean isTrue =
        switch (summary.reason()) {
          case DISABLED ->
              status.configuration().isDisabled() && text.contains(status.nodeProfile());
          case PAUSED -> moment.pool(pool -> pool.spec().pause().isSet());
          case NODES_NOT_READY ->
              counts(status, ReportedState.NOT_READY, text)
                  || counts(status, ReportedState.NOT_IN_SERVICE, text);
          case NODES_ALERTING -> counts(status, ReportedState.ALERTING, text);
          case RACK_ALERT ->
              status.repairs().racks().stream()
                  .anyMatch(each -> text.contains(each.rack()) && text.contains(each.alert()));
          case DELETION_FAILS,
              DELETING,
              INVALID,
              CONFIGURATION_MISSING,
              FLEET_UNKNOWN,
              INTERNAL_ERROR,
              REBOOTS_FAILED,
              ROLLOUT_PAUSED,
              REPAIRS_HELD,
              OVER_QUOTA,
              NO_QUOTA,
              WAITS_FOR_MACHINES,
              STAGING_FAILS,
              ROLLING_OUT,
              OBSERVING,
              GROWING,
              SHRINKING,
              ROLLOUT_STOPPED,
              REBOOT_PENDING,
              READY ->
              isElsewhere(status, text);
        };
    moment.require(Untruth.Kind.STATE, isTrue, "the sentence of the summary is so");
    moment.require(
        Untruth.Kind.STATE,
        summary.reason() != SummaryReason.READY || isWell(status, moment),
        "a pool that is Ready has nothing that is not in order");
  }

  private static boolean counts(PoolStatus status, ReportedState state, String text) {
    return Stream.ofNullable(status.counts().states().get(state))
        .anyMatch(nodes -> text.startsWith(nodes.count() + " Node"));
  }

  private static boolean isElsewhere(PoolStatus status, String text) {
    String begin = text.endsWith("…") ? text.substring(0, text.length() - 1) : text;
    return Stream.concat(
            status.conditions().values().stream().map(Condition::message),
            Stream.of(status.failedReboots().why(), status.configuration().rollout().reason()))
        .anyMatch(each -> Objects.equals(begin, text) ? each.equals(text) : each.startsWith(begin));
  }

  private static boolean isWell(PoolStatus status, Moment moment) {
    return status.conditions().values().stream()
            .filter(each -> each.reason().condition().isCurrent())
            .allMatch(each ->
                each.reason().status()
                    == switch (each.reason().condition()) {
                      case NODE_RECONFIGURATION_REQUIRED, REPAIRS_HELD -> ConditionStatus.FALSE;
                      case VALIDATED,
                          CAPACITY,
                          QUOTA,
                          AT_TARGET,
                          NODES_REMOVED,
                          ACCEPTED,
                          ALLOCATED,
                          METADATA_SYNCED,
                          SUFFICIENT_CAPACITY ->
                          ConditionStatus.TRUE;
                    })
        && status.condition(PoolCondition.NODES_REMOVED).isEmpty()
        && moment.pool(pool -> !pool.spec().pause().isSet());
  }
}
