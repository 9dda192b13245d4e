package io.nodepool.world.check.cause;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.chronicle.RolloutHistory;
import io.nodepool.world.check.truth.Causes;
import io.nodepool.world.check.truth.Moment;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Users roll out configurations over their pools. */
final class RolloutTurnCheck implements CauseCheck {
  @Override
  public Map<String, Predicate<Moment>> holds() {
    return Map.of("its pool rolls out a configuration", RolloutTurnCheck::hadPool);
  }

  /**
   * Whether the Node belonged to a pool with a rollout when its operator decided: it may be gone
   * since.
   */
  private static boolean hadPool(Moment moment) {
    return moment
        .node()
        .all(moment.since())
        .anyMatch(node ->
            Causes.is(
                node.metadata().label(NodeLabels.NODE_POOL),
                moment,
                pool ->
                    pool.id().uid().equals(node.poolUid())
                        && pool.status().configuration().rollout().number() > 0));
  }

  @Override
  public Map<String, BiPredicate<String, Moment>> ends() {
    return Map.of(
        "its pool is being deleted",
        (pool, moment) ->
            moment.chronicle().pool(pool).wasNot(moment.since(), p -> !p.isTerminating()),
        "its rollout is stopped",
        RolloutTurnCheck::mayBeStopped,
        "its rollout was stopped, or no longer evicts",
        (pool, moment) ->
            mayBeStopped(pool, moment)
                || Causes.is(pool, moment, each -> !each.spec().configuration().rollout().evict())
                || Causes.is(
                    pool, moment, each -> !each.status().configuration().rollout().evicts()),
        "its rollout is paused",
        (pool, moment) -> moment.chronicle().rollouts().mayBePaused(pool),
        "no rollout is under way",
        (pool, moment) ->
            !moment.chronicle().rollouts().wasStarted(pool)
                || moment.chronicle().rollouts().wasLost(pool)
                || Causes.is(
                    pool, moment, each -> RolloutHistory.isIn(RolloutState.Phase.NONE, each)),
        "the settings of its rollout are invalid",
        (pool, moment) ->
            Causes.is(
                pool, moment, each -> each.spec().configuration().rollout().problem().isPresent()),
        "the canary of its rollout has enough nodes",
        (pool, moment) ->
            Causes.is(pool, moment, each -> each.spec().configuration().rollout().canary() > 0),
        "too many nodes are unavailable",
        (pool, moment) -> Causes.is(pool, moment, each -> isBeyondLimit(each, moment)),
        "it is up to date",
        (pool, moment) ->
            isOtherwise(pool, moment)
                || Causes.is(pool, moment, each -> hasBooted(each.status().nodeProfile(), moment)),
        "its rollout changed",
        RolloutTurnCheck::isOtherwise);
  }

  private static boolean mayBeStopped(String pool, Moment moment) {
    return moment.chronicle().rollouts().mayBeStopped(pool, moment.since());
  }

  private static boolean hasBooted(String configuration, Moment moment) {
    return moment.host(host -> host.report().bootedConfiguration().equals(configuration));
  }

  private static boolean isBeyondLimit(Pool pool, Moment moment) {
    RolloutSettings.Limit limit = pool.spec().configuration().rollout().maxUnavailable();
    BiPredicate<Host, Optional<Node>> held = (host, _) -> host.isHeldBy(pool.id().uid());
    BiPredicate<Host, Optional<Node>> registered =
        held.and((_, node) -> node.filter(Node::registered).isPresent());
    // Those that the pool is about to cordon for their turns count too.
    String profile = pool.status().nodeProfile();
    BiPredicate<Host, Optional<Node>> unavailable =
        held.and((host, node) ->
            Chronicle.isUnavailable(host, node)
                || !(host.report().bootedConfiguration().equals(profile)
                    || node.filter(Node::isReportedActive).isPresent()));
    int unread = moment.unreadable(pool.id().uid());
    int assigning = Math.max(0, pool.spec().target() - moment.machines(held, held).least());
    return Stream.<Function<Host, String>>of(
            host -> host.id().name(), host -> host.machine().rack())
        .anyMatch(unit ->
            moment.units(unit, unavailable, unavailable).most() + assigning + unread
                > limit.of(
                    Math.max(0, moment.units(unit, registered, registered).least() - unread)));
  }

  /** Whether what a rollout depends on changed since the Node was chosen for it. */
  private static boolean isOtherwise(String pool, Moment moment) {
    Instant from = Causes.chosen(moment, moment.name());
    return moment.chronicle().offer().since(from).size() > 1
        || moment
                .chronicle()
                .pool(pool)
                .all(from)
                .map(p -> List.of(p.status().nodeProfile(), p.spec().configuration()))
                .distinct()
                .count()
            > 1;
  }
}
