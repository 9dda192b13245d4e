package io.nodepool.world.check.chronicle;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.RolloutState;
import java.time.Instant;
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
    return chronicle.pool(pool).was(p -> p.spec().configuration().commands().asked().starts());
  }

  /** Whether a user stopped the rollout of the pool since it began, or its status was lost. */
  public boolean mayBeStopped(String pool, Instant since) {
    ObjectTrack<Pool> seen = chronicle.pool(pool);
    Instant began = seen.lastWas(p -> isIn(RolloutState.Phase.RUNNING, p)).orElse(Instant.MIN);
    return wasLost(pool)
        || seen.was(
            began.isBefore(since) ? began : since,
            p -> p.spec().configuration().commands().asked().stops());
  }

  /**
   * Whether the status of the pool, or what it says of commands, was ever lost, or replaced by an
   * older one or by that of another pool.
   */
  public boolean wasLost(String pool) {
    ObjectTrack<Pool> seen = chronicle.pool(pool);
    return seen.ceased(p -> !p.status().nodeProfile().isEmpty())
        || seen.ceased(p -> !p.status().configuration().handled().request().isEmpty())
        || seen.fell(each ->
            each.map(p -> OptionalInt.of(p.status().configuration().handled().command()))
                .orElse(OptionalInt.empty()))
        || seen.was(p -> !p.status().configuration().isOf(p.id().uid()));
  }

  /** Whether a boot failed of a machine that the pool held, or ended in another configuration. */
  public boolean mayBePaused(String pool) {
    Predicate<Host> held =
        host -> host.assignment().filter(to -> to.pool().name().equals(pool)).isPresent();
    return chronicle.hostNames().stream()
        .map(chronicle::host)
        .anyMatch(host -> host.was(held) && host.was(RolloutHistory::hasFailed));
  }

  /** Whether a boot of the machine of this name ever failed, or ended in another configuration. */
  public boolean hasFailed(String machine) {
    return chronicle.host(machine).was(RolloutHistory::hasFailed);
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
