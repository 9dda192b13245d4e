package io.nodepool.world;

import static java.time.temporal.ChronoUnit.SECONDS;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.convert.CommandAnnotations;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.simulated.BrokenConfiguration;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import io.nodepool.world.cluster.WorldFleetAdmin;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** A client that publishes releases, and commands what becomes of them in a pool. */
final class RolloutClient {
  private final Drill drill;
  private final String pool;

  RolloutClient(Drill drill, String pool) {
    this.drill = drill;
    this.pool = pool;
  }

  /** The fleet publishes a release of one configuration. */
  void release(String name) {
    FleetOffer last = drill.world.cluster().offer();
    List<FleetRelease> releases = new ArrayList<>(last.releases());
    releases.add(FleetRelease.whole(name, List.of(name)));
    drill
        .world
        .cluster()
        .fleetOwner()
        .offer(
            new FleetOffer(
                last.zone(),
                last.region(),
                last.organization(),
                last.instanceTypes(),
                last.unqueued(),
                last.quota(),
                releases,
                last.capabilities()));
  }

  void strategy(UpdateStrategy strategy) {
    edit(spec -> spec.withStrategy(strategy));
  }

  void settings(UnaryOperator<RolloutSettings> change) {
    edit(spec -> spec.withRollout(change.apply(spec.rollout())));
  }

  void most(int nodes) {
    settings(last -> last.withMaxUnavailable(new RolloutSettings.Limit(nodes, 0)));
  }

  void promote() {
    command(true, Optional.empty(), Optional.empty());
  }

  void rollback() {
    command(false, Optional.of(""), Optional.empty());
  }

  void start() {
    command(false, Optional.empty(), Optional.of("start"));
  }

  void stop() {
    command(false, Optional.empty(), Optional.of("stop"));
  }

  /** The status is lost, as with a backup that does not have it. */
  void loseStatus() {
    write(PoolStatus.NONE);
  }

  /** What says up to where commands were carried out is lost, and the rest of the status stays. */
  void loseHandled() {
    if (exists()) {
      PoolStatus last = drill.pool(pool).seen().status();
      write(
          last.withConfiguration(
              last.configuration()
                  .withHandled(ConfigurationState.Handled.NOTHING)
                  .withWaitingUntil(Optional.empty())
                  .withRollout(RolloutState.NONE)));
    }
  }

  /** A client writes a status. */
  void write(PoolStatus status) {
    if (exists()) {
      drill.world.cluster().replaceStatus(pool, status);
    }
  }

  /** The record of the last command is lost, as with a replacement by an older manifest. */
  void loseRecord() {
    edit(spec -> spec.withCommands(ConfigurationCommands.NONE.withAsked(spec.commands().asked())));
  }

  /** The status of another pool is written over that of this one. */
  void copyStatusOf(String another) {
    write(drill.pool(another).seen().status());
  }

  /** The annotations and the status of another pool are written over those of this one. */
  void copyBothOf(String another) {
    Pool from = drill.pool(another).seen();
    ConfigurationSpec copied = from.spec().configuration();
    Map<String, String> record = new TreeMap<>();
    copied
        .commands()
        .accepted()
        .ifPresent(accepted ->
            record.put(
                PoolAnnotations.ACCEPTED_COMMAND.key(),
                CommandAnnotations.write(accepted, from.id().uid())));
    edit(spec ->
        spec.withRollout(copied.rollout())
            .withCommands(
                CommandAnnotations.read(record, drill.pool(pool).seen().id().uid())
                    .withAsked(copied.commands().asked())));
    write(from.status());
  }

  private void command(boolean promote, Optional<String> rollback, Optional<String> rollout) {
    if (exists()) {
      edit(spec -> {
        ConfigurationCommands.Asked last = spec.commands().asked();
        return spec.withCommands(
            spec.commands()
                .withAsked(
                    new ConfigurationCommands.Asked(
                        promote ? Optional.of("true") : last.promote(),
                        rollback.or(last::rollback),
                        rollout.or(last::rollout))));
      });
    }
  }

  private void edit(UnaryOperator<ConfigurationSpec> change) {
    if (exists()) {
      drill.pool(pool).edit(spec -> spec.withConfiguration(change.apply(spec.configuration())));
    }
  }

  private boolean exists() {
    return drill.world.cluster().pool(pool).isPresent();
  }

  /** A release that a user promotes, and whose rollout is started. */
  void rollOut(String name) {
    release(name);
    drill.advance(30, SECONDS);
    promoteAndStart(name);
  }

  /** What is not pending yet cannot be promoted. */
  private void promoteAndStart(String name) {
    for (int i = 0; i < 1200 && awaits(name); i++) {
      drill.advance(1, SECONDS);
    }
    promote();
    drill.advance(30, SECONDS);
    start();
  }

  /** Whether the operator has yet to observe the release of one configuration. */
  private boolean awaits(String name) {
    return exists() && state().pending().isEmpty() && !state().profile().equals(name);
  }

  /**
   * A release that is rolled out and that machines do not boot.
   *
   * @param fromBoot the first boot into it that hangs
   */
  void rollOutBroken(String name, int fromBoot) {
    rollOutBroken(name, fromBoot, RebootMishaps.Kind.HANG);
  }

  /**
   * A release that is rolled out and in which boots go wrong.
   *
   * @param fromBoot the first boot into it that goes wrong
   */
  void rollOutBroken(String name, int fromBoot, RebootMishaps.Kind kind) {
    publishBroken(drill, name, fromBoot, kind);
    drill.advance(30, SECONDS);
    promoteAndStart(name);
  }

  /** The fleet publishes a release in which boots go wrong from this one on. */
  static void publishBroken(Drill drill, String name, int fromBoot, RebootMishaps.Kind kind) {
    WorldFleetAdmin fleet = drill.world.cluster().fleetOwner();
    String image = "ncore-" + name;
    fleet.breakConfigurations(new BrokenConfiguration(image, "", "", fromBoot, kind));
    fleet.publish(
        new FleetRelease.Parts(
            name,
            List.of(new FleetRelease.Image(image, "stable", List.of("6.8.0-71"))),
            List.of("580.1"),
            "v1.34.4"));
  }

  ConfigurationState state() {
    return drill.pool(pool).seen().status().configuration();
  }

  RolloutState.Phase phase() {
    return state().rollout().phase();
  }

  /**
   * Whether three boots in a row failed, and no user has read so in a pause: they failed before the
   * rollout was stopped, or while it stood still. It pauses when it is started, and says why.
   */
  boolean pausesAtStart() {
    boolean failed =
        state().active().filter(active -> active.boots().failures().size() >= 3).isPresent();
    return failed && (phase() == RolloutState.Phase.STOPPED || phase() == RolloutState.Phase.NONE);
  }

  /** How many Nodes of the pool are booted into this configuration. */
  long booted(String name) {
    return drill.world.cluster().pool(pool).map(Pool::id).stream()
        .flatMap(id ->
            drill.world.cluster().hosts().values().stream()
                .filter(host -> host.isHeldBy(id.uid()))
                .filter(host -> host.report().bootedConfiguration().equals(name)))
        .count();
  }
}
