package io.nodepool.world.check.consent;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Which pools have a rollout, and which of them one that evicts (decisions D173 and D174), by what
 * users wrote: a rollout evicts if the setting stood beside the command that started it, until it
 * is taken back or the rollout is stopped. A start covers the active configuration, and what
 * becomes active before all machines have booted that; then the rollout is complete (decision
 * D214).
 */
public final class EvictingRollouts {
  /** What users wrote on one pool. */
  private static final class Facts {
    private boolean started;
    private boolean evicts;
    private boolean stops;
    private Optional<Instant> takenBackAt = Optional.empty();
    private Optional<Instant> stoppedAt = Optional.empty();

    /** When a client replaced the status, and with it what the user had commanded. */
    private Optional<Instant> lostAt = Optional.empty();

    /** Since when all machines are up to date, while they are. */
    private Optional<Instant> upToDateSince = Optional.empty();

    /** When an operator had to know that they were. */
    private Optional<Instant> completeAt = Optional.empty();

    /** Whether a boot of a machine failed: rollouts pause after some, and are not complete then. */
    private boolean failed;

    private boolean isUpToDate;

    private PoolStatus status = PoolStatus.NONE;
    private Optional<ConfigurationCommands.Accepted> accepted = Optional.empty();

    /** Whether nothing ended it before this instant. */
    private boolean goesOnUntil(Instant since) {
      return started
          && Stream.of(stoppedAt, lostAt, completeAt)
              .flatMap(Optional::stream)
              .noneMatch(at -> at.isBefore(since));
    }

    /** A user starts it. */
    private void start() {
      goOn();
      failed = false;
    }

    /** It goes on, whatever ended it before. */
    private void goOn() {
      started = true;
      stoppedAt = Optional.empty();
      lostAt = Optional.empty();
      upToDateSince = Optional.empty();
      completeAt = Optional.empty();
    }

    /** Follows whether all machines are up to date. */
    private void follow(boolean upToDate, Instant now, Instant calm) {
      upToDateSince
          .map(since -> since.isBefore(calm) ? calm : since)
          .filter(since -> completeAt.isEmpty() && Consent.isSeen(since, now, calm))
          .ifPresent(since -> completeAt = Optional.of(since.plus(Consent.REACTION)));
      upToDateSince = upToDate ? upToDateSince.or(() -> Optional.of(now)) : Optional.empty();
    }

    private boolean evictsUntil(Instant since) {
      return evicts && takenBackAt.filter(at -> at.isBefore(since)).isEmpty();
    }
  }

  /** By the UID of the pool. */
  private final Map<String, Facts> pools = new HashMap<>();

  /** The version of the cluster whose machines were followed last. */
  private long version = -1;

  /**
   * Records what a pool is now.
   *
   * @param byOperator if an operator wrote it, the oldest moment that this may have taken for the
   *     present
   * @param calm since when an operator can observe everything
   */
  public void see(Pool pool, Optional<Instant> byOperator, Instant now, Instant calm) {
    Facts facts = pools.computeIfAbsent(pool.id().uid(), _ -> new Facts());
    ConfigurationCommands.Asked asked = pool.spec().configuration().commands().asked();
    boolean evict = pool.spec().configuration().rollout().evict();
    if (!evict) {
      facts.takenBackAt = facts.takenBackAt.or(() -> Optional.of(now));
    } else if (asked.starts()) {
      facts.evicts = true;
      facts.takenBackAt = Optional.empty();
    } else if (facts.takenBackAt.isPresent()) {
      // Setting it once more does not change the rollout that runs, once the other was seen.
      facts.evicts &= !Consent.isSeen(facts.takenBackAt.get(), now, calm);
      facts.takenBackAt = Optional.empty();
    }
    byOperator.ifPresentOrElse(
        since -> overwritten(facts, pool, since), () -> written(facts, pool, now));
    if (asked.starts()) {
      facts.start();
    } else if (asked.stops() && !facts.stops) {
      facts.stoppedAt = Optional.of(now);
    } else if (facts.stops && !asked.stops() && byOperator.isEmpty()) {
      // Taken off before it was followed.
      facts.stoppedAt = Optional.empty();
    }
    facts.stops = asked.stops();
    facts.failed &= pool.status().nodeProfile().equals(facts.status.nodeProfile());
    facts.status = pool.status();
    facts.accepted = pool.spec().configuration().commands().accepted();
  }

  /**
   * Follows the machines.
   *
   * @param calm since when an operator can observe everything
   */
  public void follow(WorldCluster cluster, Instant now, Instant calm) {
    boolean changed = cluster.version() != version;
    version = cluster.version();
    for (Pool pool : cluster.pools().values()) {
      Facts facts = pools.get(pool.id().uid());
      if (facts == null || !facts.started || facts.completeAt.isPresent()) {
        continue;
      }
      if (changed) {
        facts.failed |= cluster.hosts().values().stream().anyMatch(host -> hasFailed(host, pool));
        facts.isUpToDate = !facts.failed && isUpToDate(pool, cluster);
      }
      facts.follow(facts.isUpToDate, now, calm);
    }
  }

  /** Whether a boot of a machine of this pool failed. */
  private static boolean hasFailed(Host host, Pool pool) {
    String uid = pool.id().uid();
    boolean again = host.boot().filter(request -> request.attempt() > 1).isPresent();
    return host.isHeldBy(uid)
        ? host.is(HostPhase.FAILED)
            || again
            || host.boot().filter(r -> isAstray(host, r)).isPresent()
        : host.deliveries().suspect().filter(each -> each.poolUid().equals(uid)).isPresent();
  }

  /** Whether the machine is back from this boot in another configuration. */
  private static boolean isAstray(Host host, BootRequest request) {
    return !request.configuration().isEmpty()
        && host.report().boot().cycle().isEmpty()
        && !host.report().bootId().equals(request.from())
        && !host.report().bootedConfiguration().equals(request.configuration());
  }

  /**
   * Whether all machines of a pool run with its active configuration, and none of their Nodes is on
   * its way there.
   */
  private static boolean isUpToDate(Pool pool, WorldCluster cluster) {
    String active = pool.status().nodeProfile();
    List<Host> held =
        cluster.hosts().values().stream().filter(host -> host.serves(pool.id().uid())).toList();
    return !active.isEmpty()
        && !pool.spec().configuration().commands().isWaiting()
        && pool.spec().configuration().rollout().problem().isEmpty()
        && held.stream()
            .allMatch(host ->
                host.is(HostPhase.RUNNING)
                    && host.report().boot().cycle().isEmpty()
                    && host.report().bootedConfiguration().equals(active)
                    && Optional.ofNullable(cluster.nodes().get(host.id().name()))
                        .filter(node -> node.isOf(host) && isInProduction(node))
                        .isPresent());
  }

  private static boolean isInProduction(Node node) {
    String state = node.metadata().label(NodeLabels.STATE);
    return node.registered()
        && node.ready()
        && !node.cordoned()
        && (state.isEmpty() || state.equals("production"));
  }

  /**
   * A client wrote the pool: what it took out of its records is lost, and what it wrote back into
   * the status goes on.
   */
  private static void written(Facts facts, Pool pool, Instant now) {
    if (isStopLost(facts.accepted, facts.status, pool)) {
      facts.stoppedAt = Optional.empty();
    }
    if (isLost(facts.status, pool)) {
      facts.lostAt = Optional.of(now);
    } else if (isGoingOn(facts.status, pool)) {
      facts.goOn();
      facts.evicts |= pool.status().configuration().rollout().evicts();
    }
  }

  /**
   * The operator published a status that it decided on before it could know of the loss of the last
   * one. Nothing was lost by that: the status says again what was commanded, and nobody can observe
   * any more that it did not (decision D220).
   */
  private static void overwritten(Facts facts, Pool pool, Instant since) {
    if (!pool.status().equals(facts.status) && !isLost(facts.status, pool)) {
      facts.lostAt = facts.lostAt.filter(at -> at.isBefore(since));
    }
  }

  /** Whether a pool's status is another one, which does not say what was commanded. */
  private static boolean isLost(PoolStatus last, Pool pool) {
    return !pool.status().equals(last)
        && pool.status().configuration().handled().equals(ConfigurationState.Handled.NOTHING);
  }

  /** Whether a pool's status is another one, with a rollout that goes on and that nothing stops. */
  private static boolean isGoingOn(PoolStatus last, Pool pool) {
    ConfigurationState state = pool.status().configuration();
    return !pool.status().equals(last)
        && state.rollout().phase() == RolloutState.Phase.RUNNING
        && !pool.spec().configuration().commands().stopRollout(state.handled().command());
  }

  /** Whether a stop was accepted, and its record lost before it was carried out. */
  private static boolean isStopLost(
      Optional<ConfigurationCommands.Accepted> accepted, PoolStatus last, Pool pool) {
    return pool.spec().configuration().commands().accepted().isEmpty()
        && accepted
            .filter(command -> command.stops())
            .filter(command -> command.number() > last.configuration().handled().command())
            .isPresent();
  }

  /** A pool is gone, and its rollout with it; who has not observed that goes on with it. */
  public void gone(String poolUid, Instant now) {
    facts(poolUid).ifPresent(facts -> facts.stoppedAt = facts.stoppedAt.or(() -> Optional.of(now)));
  }

  private Optional<Facts> facts(String poolUid) {
    return Optional.ofNullable(pools.get(poolUid));
  }

  /** Whether a rollout of the pool went on at this instant, as far as users wrote. */
  public boolean goesOn(String poolUid, Instant since) {
    return facts(poolUid).filter(facts -> facts.goesOnUntil(since)).isPresent();
  }

  /** Whether a rollout of the pool went on at this instant that evicts: no other one may begin. */
  public boolean evicts(String poolUid, Instant since) {
    return facts(poolUid)
        .filter(facts -> facts.goesOnUntil(since) && facts.evictsUntil(since))
        .isPresent();
  }

  /**
   * Whether a drain that began for a rollout which evicts may go on: from a stop on nothing more is
   * evicted (decision D199). What follows from a lost status must be published first.
   *
   * @param since the oldest moment that the operator may have taken for the present
   * @param calm since when an operator can observe everything
   */
  public boolean drains(String poolUid, Instant since, Instant calm) {
    return facts(poolUid)
        .filter(facts -> facts.evictsUntil(since))
        .filter(facts -> facts.stoppedAt.filter(at -> at.isBefore(since)).isEmpty())
        .filter(facts -> facts.lostAt.filter(at -> Consent.isSeen(at, since, calm)).isEmpty())
        .isPresent();
  }
}
