package io.nodepool.world;

import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.Observation;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.simulated.BrokenConfiguration;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** A fleet that publishes releases, and users who roll them out, at random moments. */
final class RolloutMonkey {
  /** The most releases of a run: a status has a bounded number of revisions. */
  private static final int RELEASES = 12;

  /** How many statuses of a pool may be written back. */
  private static final int STATUSES = 200;

  private final Drill drill;
  private final WorldCluster cluster;
  private final SplittableRandom random;
  private int releases;

  /** The last statuses of each pool, by its UID. */
  private final Map<String, List<PoolStatus>> statuses = new HashMap<>();

  RolloutMonkey(Drill drill) {
    this.drill = drill;
    this.cluster = drill.world.cluster();
    this.random = drill.random;
    cluster.watch(
        WorldCluster.Kind.POOLS,
        seen -> {
          if (seen instanceof Observation.PoolSeen(Pool pool)) {
            note(pool);
          }
        });
  }

  private void note(Pool pool) {
    List<PoolStatus> last = statuses.computeIfAbsent(pool.id().uid(), _ -> new ArrayList<>());
    if (last.isEmpty() || !last.getLast().equals(pool.status())) {
      last.add(pool.status());
    }
    if (last.size() > STATUSES) {
      last.removeFirst();
    }
  }

  /** Any of these. */
  void anything() {
    List<Runnable> all =
        List.of(
            this::release,
            this::promote,
            this::rollback,
            this::start,
            this::stop,
            this::settings,
            this::strategy,
            this::rollOut);
    any(all).run();
  }

  /** The fleet publishes a release, which some machines may not boot. */
  void release() {
    if (releases < RELEASES) {
      release(random.nextInt(4) == 0 ? 1 + random.nextInt(3) : Integer.MAX_VALUE);
    }
  }

  private void release(int fromBoot) {
    releases++;
    String image = "ncore-3." + releases;
    if (fromBoot < Integer.MAX_VALUE) {
      cluster
          .fleetOwner()
          .breakConfigurations(
              new BrokenConfiguration(
                  image,
                  "",
                  "",
                  fromBoot,
                  any(List.of(RebootMishaps.Kind.HANG, RebootMishaps.Kind.VERIFICATION_FAILURE))));
    }
    cluster
        .fleetOwner()
        .publish(
            new FleetRelease.Parts(
                "3." + releases,
                List.of(new FleetRelease.Image(image, "stable", List.of("6.8.0-71"))),
                List.of("580.1"),
                "v1.34.4"));
  }

  void promote() {
    client().promote();
  }

  void rollback() {
    client().rollback();
  }

  void start() {
    client().start();
  }

  void stop() {
    client().stop();
  }

  /** A user changes the settings of the rollouts of a pool. */
  void settings() {
    settings(client());
  }

  private void settings(RolloutClient client) {
    RolloutSettings.Limit limit =
        random.nextBoolean()
            ? new RolloutSettings.Limit(1 + random.nextInt(3), 0)
            : new RolloutSettings.Limit(0, 10 + random.nextInt(90));
    int canary = random.nextInt(3);
    Duration soak = canary == 0 ? Duration.ZERO : Duration.ofMinutes(random.nextInt(30));
    boolean evict = random.nextBoolean();
    client.settings(
        last -> last.withMaxUnavailable(limit).withCanary(canary, soak).withEvict(evict));
  }

  void strategy() {
    client().strategy(any(List.of(UpdateStrategy.values())));
  }

  /** A release that a user promotes and rolls out, within some minutes. */
  void rollOut() {
    RolloutClient client = client();
    if (random.nextBoolean()) {
      settings(client);
    }
    release();
    Duration later = Duration.ofSeconds(random.nextInt(120));
    drill.world.later(later, client::promote);
    drill.world.later(later.plusSeconds(random.nextInt(120)), client::start);
  }

  /** The status is lost, all of it or what says which commands were carried out. */
  void loseStatus() {
    if (random.nextBoolean()) {
      client().loseStatus();
    } else {
      client().loseHandled();
    }
  }

  /** The record of the last accepted command is lost. */
  void loseRecord() {
    client().loseRecord();
  }

  /** An earlier status is written back, of the time since the last command was carried out. */
  void olderStatus() {
    pool()
        .ifPresent(pool -> {
          ConfigurationState.Handled now = pool.status().configuration().handled();
          List<PoolStatus> earlier =
              statuses.getOrDefault(pool.id().uid(), List.of()).stream()
                  .filter(status -> !status.equals(pool.status()))
                  .filter(status -> status.configuration().isOf(pool.id().uid()))
                  .filter(status -> !status.nodeProfile().isEmpty())
                  .filter(status -> status.configuration().handled().command() == now.command())
                  .toList();
          if (!earlier.isEmpty()) {
            client(pool).write(any(earlier));
          }
        });
  }

  /** The annotations and the status of a pool are written over those of another one. */
  void copyBoth() {
    pool()
        .ifPresent(from ->
            pool()
                .filter(to -> !to.id().equals(from.id()))
                .ifPresent(to -> client(to).copyBothOf(from.id().name())));
  }

  private Optional<Pool> pool() {
    List<Pool> pools =
        cluster.pools().values().stream().filter(pool -> !pool.isTerminating()).toList();
    return pools.isEmpty() ? Optional.empty() : Optional.of(any(pools));
  }

  private RolloutClient client(Pool pool) {
    return new RolloutClient(drill, pool.id().name());
  }

  private RolloutClient client() {
    return pool().map(this::client).orElseGet(() -> new RolloutClient(drill, "a"));
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  /**
   * Machines boot every configuration again. A pool whose configuration is disabled gets another
   * one, which may be its first.
   */
  void repair() {
    cluster.fleetOwner().mendConfigurations();
    List<RolloutClient> left =
        cluster.pools().values().stream()
            .filter(pool -> pool.status().configuration().isDisabled())
            .map(pool -> new RolloutClient(drill, pool.id().name()))
            .toList();
    if (!left.isEmpty()) {
      release(Integer.MAX_VALUE);
      left.forEach(client -> drill.world.later(Duration.ofMinutes(1), client::promote));
    }
  }
}
