package io.nodepool.world.cluster;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.PoolId;
import io.nodepool.model.Observation;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.Action;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Writes of NodePools, by clients and by the operator. */
record WorldPools(WorldStore store, AppliedWrites appliedWrites) {
  private Pool pool(String name) {
    return Optional.ofNullable(store.pools.get(name)).orElseThrow();
  }

  /** Creates a pool. */
  Pool create(String name, PoolSpec spec, Instant now) {
    if (store.pools.containsKey(name)) {
      throw new IllegalStateException("pool " + name + " exists");
    }
    PoolId id = new PoolId(name, store.newUid("pool"));
    return store.put(
        new Pool(id, store.next(), 1, now, Optional.empty(), false, spec, PoolStatus.NONE));
  }

  /** Changes a pool's spec. */
  void edit(String name, UnaryOperator<PoolSpec> edit) {
    Pool pool = pool(name);
    store.put(pool.withVersion(store.next()).withSpec(edit.apply(pool.spec())));
  }

  /** Replaces a pool's status, as a client that restores or copies one. */
  void replaceStatus(String name, PoolStatus status) {
    Pool pool = pool(name);
    store.put(pool.withVersion(store.next()).withStatus(status));
  }

  /** Requests a pool's deletion. */
  void delete(String name, Instant now) {
    Pool pool = pool(name);
    if (!pool.guarded()) {
      store.removePool(pool);
      appliedWrites.poolGone();
    } else if (!pool.isTerminating()) {
      store.put(pool.withVersion(store.next()).withDeletionRequested(now));
    }
  }

  /** Replaces a pool's status, as the operator does. */
  Answer<Observation> publish(PoolId id, PoolStatus status) {
    Pool pool = store.pools.get(id.name());
    if (pool == null || !pool.id().equals(id)) {
      return new Answer.Missing<>();
    }
    if (pool.status().equals(status)) {
      return new Answer.Done<>(store.seen(pool));
    }
    return store
        .validation
        .status(status)
        .map(ObjectValidation::<Observation>invalid)
        .orElseGet(() ->
            new Answer.Done<>(
                store.seen(store.put(pool.withVersion(store.next()).withStatus(status)))));
  }

  /** Accepts the commands of a pool. */
  Answer<Observation> accept(Action.AcceptCommand action) {
    Pool pool = store.pools.get(action.pool().name());
    if (pool == null || !pool.id().equals(action.pool())) {
      return new Answer.Missing<>();
    }
    if (!pool.spec().configuration().commands().equals(action.before())
        || pool.status().configuration().handled().command() != action.handled()) {
      return new Answer.Refused<>("its commands have changed");
    }
    ConfigurationSpec next =
        pool.spec()
            .configuration()
            .withCommands(ConfigurationCommands.NONE.afterAccepting(action.accepted()));
    Pool accepted = pool.withAnnotated(pool.spec().withConfiguration(next));
    return store
        .validation
        .pool(accepted)
        .map(ObjectValidation::<Observation>invalid)
        .orElseGet(
            () -> new Answer.Done<>(store.seen(store.put(accepted.withVersion(store.next())))));
  }

  /** Confirms by a live list that no Host and no Node of a pool is left. */
  Answer<Observation> confirmEmpty(PoolId pool) {
    boolean held = store.hosts.values().stream().anyMatch(host -> host.isHeldBy(pool.uid()));
    boolean joined =
        store.nodes.values().stream().anyMatch(node -> node.poolUid().equals(pool.uid()));
    return held || joined
        ? new Answer.Refused<>("something of it is left")
        : new Answer.Done<>(new Observation.PoolFoundEmpty(pool));
  }

  /** Adds the operator's finalizer to a pool, or removes it. */
  void setGuard(PoolId id, boolean guarded) {
    Pool pool = store.pools.get(id.name());
    if (pool == null || !pool.id().equals(id) || pool.guarded() == guarded) {
      return;
    }
    if (!guarded && pool.isTerminating()) {
      store.removePool(pool);
      appliedWrites.poolGone();
    } else if (!pool.isTerminating()) {
      store.put(pool.withVersion(store.next()).withGuarded(guarded));
    }
  }
}
