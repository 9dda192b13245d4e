package io.nodepool.world.check.chronicle;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.RolloutState;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/** What became of the rollouts of pools, and of the boots of their machines. */
public record RolloutHistory(Chronicle chronicle) {
  /** Whether the rollout of the pool is in this phase. */
  public static boolean isIn(RolloutState.Phase phase, Pool pool) {
    return pool.status().configuration().rollout().phase() == phase;
  }

  /** Whether a user ever started a rollout of the pool. */
  public boolean wasStarted(String pool) {
    return chronicle
        .pool(pool)
        .ever(
            Instant.MIN,
            seen ->
                seen.filter(p -> p.spec().configuration().commands().asked().starts()).isPresent());
  }

  /** Whether a user stopped the rollout of the pool since it began, or its status was lost. */
  public boolean mayBeStopped(String pool, Instant since) {
    Track<Optional<Pool>> seen = chronicle.pool(pool);
    Instant began =
        seen.last(each -> each.filter(p -> isIn(RolloutState.Phase.RUNNING, p)).isPresent())
            .orElse(Instant.MIN);
    return wasLost(pool)
        || seen.ever(
            began.isBefore(since) ? began : since,
            each ->
                each.filter(p -> p.spec().configuration().commands().asked().stops()).isPresent());
  }

  /**
   * Whether the status of the pool, or what it says of commands, was ever lost, or replaced by an
   * older one or by that of another pool.
   */
  public boolean wasLost(String pool) {
    Track<Optional<Pool>> seen = chronicle.pool(pool);
    return seen.ended(each -> each.filter(p -> !p.status().nodeProfile().isEmpty()).isPresent())
        || seen.ended(each ->
            each.filter(p -> !p.status().configuration().handled().request().isEmpty()).isPresent())
        || seen.fell(each ->
            each.map(p -> OptionalInt.of(p.status().configuration().handled().command()))
                .orElse(OptionalInt.empty()))
        || seen.ever(
            Instant.MIN,
            each -> each.filter(p -> !p.status().configuration().isOf(p.id().uid())).isPresent());
  }

  /** Whether a boot failed of a machine that the pool held, or ended in another configuration. */
  public boolean mayBePaused(String pool) {
    Predicate<Host> held =
        host -> host.assignment().filter(to -> to.pool().name().equals(pool)).isPresent();
    return chronicle.hostNames().stream()
        .map(chronicle::host)
        .anyMatch(host ->
            host.ever(Instant.MIN, each -> each.filter(held).isPresent())
                && host.ever(
                    Instant.MIN, each -> each.filter(RolloutHistory::hasFailed).isPresent()));
  }

  /** Whether a boot of the machine of this name ever failed, or ended in another configuration. */
  public boolean hasFailed(String machine) {
    return chronicle
        .host(machine)
        .ever(Instant.MIN, each -> each.filter(RolloutHistory::hasFailed).isPresent());
  }

  private static boolean hasFailed(Host host) {
    return host.report().phase() == HostPhase.FAILED
        || host.deliveries().failure().isPresent()
        || host.deliveries().isSetAside()
        || host.boot()
            .filter(request ->
                request.attempt() > 1
                    || (request.kind().boots()
                        && host.is(HostPhase.RUNNING)
                        && !host.isRebooting()
                        && !request.configuration().equals(host.report().bootedConfiguration())))
            .isPresent();
  }
}
