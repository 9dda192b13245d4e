package io.nodepool.world;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Deliveries;
import io.nodepool.fleet.Host;
import io.nodepool.model.Pool;
import io.nodepool.model.PoolSpec;
import io.nodepool.model.PoolStatus;
import java.time.Instant;
import java.util.Optional;

/** Objects with one thing changed, under a new version. */
final class Changed {
  private Changed() {}

  static Host tenant(
      Host host,
      long version,
      int tenancy,
      Optional<Assignment> assignment,
      String configuration,
      Host.Power power,
      Deliveries deliveries) {
    return new Host(
        host.id(),
        version,
        host.machine(),
        tenancy,
        assignment,
        configuration,
        power,
        deliveries,
        host.report());
  }

  static Host report(Host host, long version, Host.Report report) {
    return new Host(
        host.id(),
        version,
        host.machine(),
        host.tenancy(),
        host.assignment(),
        host.configuration(),
        host.power(),
        host.deliveries(),
        report);
  }

  static Pool spec(Pool pool, long version, PoolSpec spec) {
    return pool(
        pool,
        version,
        pool.generation() + 1,
        pool.deletionRequestedAt(),
        pool.guarded(),
        spec,
        pool.status());
  }

  static Pool leaving(Pool pool, long version, Instant now) {
    return pool(
        pool,
        version,
        pool.generation() + 1,
        Optional.of(now),
        pool.guarded(),
        pool.spec(),
        pool.status());
  }

  static Pool guard(Pool pool, long version, boolean guarded) {
    return pool(
        pool,
        version,
        pool.generation(),
        pool.deletionRequestedAt(),
        guarded,
        pool.spec(),
        pool.status());
  }

  static Pool status(Pool pool, long version, PoolStatus status) {
    return pool(
        pool,
        version,
        pool.generation(),
        pool.deletionRequestedAt(),
        pool.guarded(),
        pool.spec(),
        status);
  }

  private static Pool pool(
      Pool pool,
      long version,
      long generation,
      Optional<Instant> deletionRequestedAt,
      boolean guarded,
      PoolSpec spec,
      PoolStatus status) {
    return new Pool(
        pool.id(),
        version,
        generation,
        pool.createdAt(),
        deletionRequestedAt,
        guarded,
        spec,
        status);
  }
}
