package io.nodepool.world.check;

import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.world.Situation;
import io.nodepool.world.Situations;
import io.nodepool.world.cluster.WorldCluster;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the stages of rollouts that are visible in the objects, and what other clients do to the
 * records of pools.
 */
final class RolloutSituations {
  private final WorldCluster cluster;
  private final Situations situations;

  /** By the UID of the pool. */
  private final Map<String, Pool> pools = new HashMap<>();

  /** The records of Nodes in their turn, by the UID of the Node. */
  private final Map<String, Disruption> turns = new HashMap<>();

  /** Whether the operator's write takes effect now. */
  private boolean operatorWrites;

  RolloutSituations(WorldCluster cluster, Situations situations) {
    this.cluster = cluster;
    this.situations = situations;
  }

  void watch() {
    cluster.watch(this::see, WorldCluster.Kind.POOLS, WorldCluster.Kind.NODES);
  }

  /** Whether the operator's write takes effect from now on, or one of another client. */
  void writes(boolean operator) {
    operatorWrites = operator;
  }

  /** Whether a rollout of the pool is under way. */
  static boolean isUnderWay(Pool pool) {
    return phase(pool) == RolloutState.Phase.RUNNING;
  }

  private static RolloutState.Phase phase(Pool pool) {
    return pool.status().configuration().rollout().phase();
  }

  private void see(Observation seen) {
    if (seen instanceof Observation.PoolSeen(Pool pool)) {
      Optional.ofNullable(pools.put(pool.id().uid(), pool)).ifPresent(last -> see(last, pool));
    } else if (seen instanceof Observation.NodeSeen(Node node)) {
      see(node);
    } else if (seen instanceof Observation.NodeGone(String _, String uid, long _)) {
      turns.remove(uid);
    }
  }

  private void see(Pool last, Pool pool) {
    if (!operatorWrites) {
      ofClients(last, pool);
    }
    ConfigurationState before = last.status().configuration();
    ConfigurationState now = pool.status().configuration();
    if (isUnderWay(last)) {
      switch (phase(pool)) {
        case STOPPED -> situations.add(Situation.ROLLOUT_STOPPED);
        case PAUSED -> situations.add(Situation.ROLLOUT_PAUSED);
        case NONE -> situations.add(Situation.ROLLOUT_COMPLETED);
        case RUNNING -> {}
      }
      if (!before.profile().equals(now.profile())) {
        situations.add(Situation.ROLLED_OUT_ANEW);
      }
      if (pool.isTerminating() && !last.isTerminating()) {
        situations.add(Situation.DELETED_WHILE_ROLLING_OUT);
      }
      if (before.rollout().canary().isEmpty() && now.rollout().canary().isPresent()) {
        situations.add(Situation.ROLLOUT_SOAKED);
      }
    }
    if (now.isDisabled() && !before.isDisabled(now.profile())) {
      situations.add(Situation.CONFIGURATION_DISABLED);
    }
  }

  /** What another client did to the records of a pool. */
  private void ofClients(Pool last, Pool pool) {
    if (!pool.status().equals(last.status())) {
      ConfigurationState.Handled handled = pool.status().configuration().handled();
      if (!handled.equals(ConfigurationState.Handled.NOTHING)) {
        situations.add(Situation.STATUS_OLDER);
      } else if (pools.values().stream().anyMatch(other -> isCopied(other, pool))) {
        situations.add(Situation.POOL_COPIED);
      } else if (!handled.equals(last.status().configuration().handled())) {
        situations.add(Situation.STATUS_LOST);
      }
    }
    if (commands(last).accepted().isPresent() && commands(pool).accepted().isEmpty()) {
      situations.add(Situation.COMMAND_LOST);
    }
  }

  private static ConfigurationCommands commands(Pool pool) {
    return pool.spec().configuration().commands();
  }

  /** Whether a pool has all that another one has, but for what is void on it. */
  private static boolean isCopied(Pool from, Pool pool) {
    PoolStatus status =
        from.status().withConfiguration(ConfigurationState.NONE).withGrowth(Optional.empty());
    return !from.id().equals(pool.id())
        && !status.counts().equals(PoolStatus.NodeCounts.NONE)
        && status.equals(pool.status())
        && from.spec().configuration().rollout().equals(pool.spec().configuration().rollout())
        && commands(pool).accepted().isEmpty();
  }

  private void see(Node node) {
    Optional<Disruption> now =
        node.disruption()
            .flatMap(Disruption::active)
            .filter(active -> !active.turns().isEmpty())
            .flatMap(_ -> node.disruption());
    Optional<Disruption> last =
        Optional.ofNullable(
            now.isPresent() ? turns.put(node.uid(), now.get()) : turns.remove(node.uid()));
    if (last.isEmpty()) {
      now.ifPresent(_ -> situations.add(Situation.ROLLOUT_TURN));
      return;
    }
    boolean admitted = last.get() instanceof Disruption.Admitted;
    if (admitted && now.isEmpty()) {
      situations.add(Situation.ROLLOUT_TURN_TAKEN_BACK);
    }
    if (admitted && now.orElse(null) instanceof Disruption.Committed && isBusy(node)) {
      situations.add(Situation.ROLLOUT_EVICTED);
    }
    if (causes(now) > 1 && causes(last) == 1) {
      situations.add(Situation.ROLLOUT_TURN_JOINED);
    }
  }

  private static int causes(Optional<Disruption> turn) {
    return turn.flatMap(Disruption::active).map(active -> active.causes().size()).orElse(0);
  }

  private boolean isBusy(Node node) {
    return cluster.workloads().boundTo(node.name()).stream()
        .anyMatch(pod -> pod.deletedAt().isEmpty());
  }
}
