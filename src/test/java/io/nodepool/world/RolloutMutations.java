package io.nodepool.world;

import io.nodepool.control.MachinePlanning;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.ConfigurationState.BootRecord;
import io.nodepool.model.pool.FailedReboots;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.MachinePlan;
import io.nodepool.plan.NodePurpose;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Faults in the rollout of configurations. */
final class RolloutMutations {
  private static final RolloutSettings.Limit ALL = new RolloutSettings.Limit(0, 100);

  private RolloutMutations() {}

  static Stream<Mutation> all() {
    return Stream.concat(ofTurns(), ofConfigurations());
  }

  private static Stream<Mutation> ofTurns() {
    return Stream.of(
        Mutation.of(
            49,
            "A rollout begins Nodes however many are unavailable",
            settings(last -> last.withMaxUnavailable(ALL)),
            "rollout"),
        Mutation.of(
            86,
            "Nodes that the pool had and is replacing are not counted",
            OperatorOverrides.AS_BUILT.withPlanner(
                Seams.poolSeen(seen ->
                    seen.withGrowth(
                        seen.growth()
                            .map(last ->
                                new Growth(last.askedAt(), last.target(), last.granted(), 0))))),
            "machines that no other one replaces"),
        Mutation.of(
            50,
            "A rollout has no canary",
            settings(last -> last.withCanary(0, last.soak())),
            "rollout with a canary"),
        Mutation.of(
            51,
            "A canary does not soak",
            settings(last -> last.withCanary(last.canary(), Duration.ZERO)),
            "rollout with a canary"),
        Mutation.of(
            64,
            "The soak of a canary counts time without a running operator",
            OperatorOverrides.AS_BUILT.withPlanner(
                Seams.poolSeen(seen -> seen.withWatched(seen.watched().from(Instant.MIN)))),
            "soak without an operator"),
        Mutation.of(
            52,
            "A rollout evicts work without being asked to",
            settings(last -> last.withEvict(true)),
            "rollout"),
        Mutation.of(
            53,
            "A rollout that a user stopped goes on",
            published(RolloutMutations::notStopped),
            "rollout stopped and started"),
        Mutation.of(
            54,
            "Nodes have their turns although no rollout was started",
            published(RolloutMutations::always),
            "rollout"),
        Mutation.of(
            80,
            "A completed rollout goes on with the next release",
            published(RolloutMutations::notCompleted),
            "release after a rollout"),
        Mutation.of(
            55,
            "A rollout that paused by itself goes on by itself",
            OperatorOverrides.AS_BUILT.withPlanner(Seams.poolSeen(RolloutMutations::goesOn)),
            "configuration that does not boot"),
        Mutation.of(
            65,
            "A rollout evicts although its eviction was taken back",
            OperatorOverrides.AS_BUILT
                .withPlanner(Seams.poolSeen(seen -> Fixtures.withPool(seen, evicting(seen.pool()))))
                .withMachines(
                    Seams.machineSeen((seen, now) ->
                        withPool(seen, seen.pool().map(RolloutMutations::evicting)))),
            "eviction taken back"));
  }

  private static Stream<Mutation> ofConfigurations() {
    return Stream.of(
        Mutation.of(
            56,
            "Under RolloutOnCommand a configuration is staged before the Node's turn",
            OperatorOverrides.AS_BUILT.withMachines(Seams.machineSeen((seen, now) -> staged(seen))),
            "reboot before its turn"),
        Mutation.of(
            57,
            "A configuration that fails on one machine after the other is not disabled",
            reported(state -> boots(state, RolloutMutations::enabled)),
            "configuration that does not boot on three machines"),
        Mutation.of(
            81,
            "A Node goes on after a failed reboot that its pool has not published",
            OperatorOverrides.AS_BUILT.withMachines(
                Seams.machineSeen((seen, now) ->
                    withPool(seen, seen.pool().map(pool -> letGo(acknowledged(pool), seen))))),
            "configuration in which machines fail"),
        Mutation.of(
            82,
            "Hosts that failed in a disabled configuration stay set aside",
            Seams.steps(step ->
                step.action() instanceof Action.OnHost(HostOperation.ClearFailures _)
                    ? Stream.of()
                    : Stream.of(step)),
            "configuration in which machines fail"),
        Mutation.of(
            83,
            "A configuration that is disabled in another pool is chosen",
            OperatorOverrides.AS_BUILT.withPlanner(Seams.poolSeen(RolloutMutations::unjudged)),
            "configuration that is disabled in another pool"),
        Mutation.of(
            84,
            "The turn of a Node in a rollout stays on record without its Host",
            OperatorOverrides.AS_BUILT.withMachines(RolloutMutations::keptWithoutHost),
            "machine lost at its turn"),
        Mutation.of(
            58,
            "Failed boots of a configuration are not published",
            reported(state -> boots(state, RolloutMutations::withoutFailures)),
            "configuration that does not boot"),
        Mutation.of(
            59,
            "An accepted command has the number of the one before",
            Seams.actions(RolloutMutations::sameNumber),
            "rollout"),
        Mutation.of(
            60,
            "The number of the command that was carried out is not published",
            reported(state -> state.withHandled(state.handled().withCommand(0))),
            "reboot before its turn"));
  }

  /** Both planners with other settings of the rollout. */
  private static OperatorOverrides settings(UnaryOperator<RolloutSettings> change) {
    return OperatorOverrides.AS_BUILT
        .withPlanner(
            Seams.poolSeen(seen -> Fixtures.withPool(seen, withSettings(seen.pool(), change))))
        .withMachines(
            Seams.machineSeen((seen, now) ->
                withPool(seen, seen.pool().map(pool -> withSettings(pool, change)))));
  }

  /** A pool whose rollout keeps what it was started with. */
  private static Pool evicting(Pool pool) {
    return pool.status().configuration().rollout().evicts()
        ? withSettings(pool, last -> last.withEvict(true))
        : pool;
  }

  private static Pool withSettings(Pool pool, UnaryOperator<RolloutSettings> change) {
    ConfigurationSpec spec = pool.spec().configuration();
    return pool.withSpec(
        pool.spec().withConfiguration(spec.withRollout(change.apply(spec.rollout()))));
  }

  /** Both planners with another phase of the rollouts that are published. */
  private static OperatorOverrides published(UnaryOperator<RolloutState> change) {
    return OperatorOverrides.AS_BUILT
        .withPlanner(
            Seams.poolSeen(seen ->
                isAnyOutdated(seen) ? Fixtures.withPool(seen, seenAs(seen.pool(), change)) : seen))
        .withMachines(
            Seams.machineSeen(
                (seen, now) -> withPool(seen, seen.pool().map(pool -> seenAs(pool, change)))));
  }

  private static boolean isAnyOutdated(PoolSnapshot seen) {
    String active = seen.pool().status().nodeProfile();
    return seen.members().booted().keySet().stream().anyMatch(each -> !each.equals(active));
  }

  private static Pool seenAs(Pool pool, UnaryOperator<RolloutState> change) {
    ConfigurationState last = pool.status().configuration();
    return pool.withStatus(
        pool.status().withConfiguration(last.withRollout(change.apply(last.rollout()))));
  }

  private static RolloutState notStopped(RolloutState last) {
    return last.phase() == RolloutState.Phase.STOPPED ? last.resumed() : last;
  }

  /** The pool as if it had published that the Node may leave after its failed reboot. */
  private static Pool letGo(Pool pool, MachineSnapshot seen) {
    return seen.node()
        .filter(node -> node.disruption().orElse(null) instanceof Disruption.Committed)
        .map(node ->
            new FailedReboots.Admitted(
                node.name(),
                node.hostUid(),
                ((Disruption.Committed) node.disruption().orElseThrow()).name()))
        .map(admitted -> pool.status().failedReboots().withAdmitted(Optional.of(admitted)))
        .map(failed -> pool.withStatus(pool.status().withFailedReboots(failed)))
        .orElse(pool);
  }

  /** A pool as if boots that fail did not count. */
  private static Pool acknowledged(Pool pool) {
    ConfigurationState last = pool.status().configuration();
    return pool.withStatus(
        pool.status().withConfiguration(boots(last, record -> record.countedFrom(Instant.MAX))));
  }

  private static PoolSnapshot unjudged(PoolSnapshot seen) {
    PoolSnapshot.Availability last = seen.availability();
    return seen.withAvailability(
        Fixtures.availability(last.free(), last.others(), last.offer(), last.apiServer()));
  }

  /** The plan of a Node without a Host, without the end of what its pool demanded. */
  private static MachinePlanning keptWithoutHost(MachinePlanning planner) {
    return Seams.machines(
        planner::plan,
        (seen, now) -> {
          MachinePlan plan = planner.plan(seen, now);
          return new MachinePlan(
              plan.plannedActions().stream()
                  .filter(step -> !endsTurn(seen.node(), step.action()))
                  .toList(),
              plan.wakeup());
        });
  }

  private static boolean endsTurn(Node node, Action action) {
    return action instanceof Action.WriteNode record
        && record.purpose().isOfDisruption()
        && !record.isFor(NodePurpose.COMMIT)
        && node.disruption()
            .flatMap(Disruption::active)
            .filter(RolloutMutations::isTurn)
            .isPresent()
        && record.next().flatMap(Disruption::active).filter(RolloutMutations::isTurn).isEmpty();
  }

  private static boolean isTurn(Disruption.Active active) {
    return !active.turns().isEmpty();
  }

  private static RolloutState always(RolloutState last) {
    return last.phase() == RolloutState.Phase.NONE ? last.started() : last;
  }

  private static RolloutState notCompleted(RolloutState last) {
    return last.phase() == RolloutState.Phase.NONE && last.number() > 0
        ? last.resumed().withEvicts(true)
        : last;
  }

  /** The pool planner with failures that were forgotten once its rollout paused. */
  private static PoolSnapshot goesOn(PoolSnapshot seen) {
    ConfigurationState last = seen.pool().status().configuration();
    return last.rollout().phase() == RolloutState.Phase.PAUSED && !last.isDisabled()
        ? Fixtures.withPool(
            seen,
            seen.pool()
                .withStatus(
                    seen.pool()
                        .status()
                        .withConfiguration(
                            boots(
                                last.withRollout(last.rollout().resumed()),
                                RolloutMutations::withoutFailures))))
        : seen;
  }

  private static MachineSnapshot withPool(MachineSnapshot seen, Optional<Pool> pool) {
    return seen.withPool(pool);
  }

  /** The machine as if its pool followed another strategy. */
  private static MachineSnapshot staged(MachineSnapshot seen) {
    return withPool(
        seen,
        seen.pool()
            .map(pool ->
                pool.withSpec(
                    pool.spec()
                        .withConfiguration(
                            pool.spec()
                                .configuration()
                                .withStrategy(UpdateStrategy.ON_SPEC_UPDATE)))));
  }

  /** The pool planner with other configurations in the status that it publishes. */
  private static OperatorOverrides reported(UnaryOperator<ConfigurationState> change) {
    return OperatorOverrides.AS_BUILT.withPlanner(planner ->
        (seen, now) -> {
          PoolPlan plan = planner.plan(seen, now);
          return plan.withStatus(
              plan.status().withConfiguration(change.apply(plan.status().configuration())));
        });
  }

  private static ConfigurationState boots(
      ConfigurationState state, UnaryOperator<BootRecord> change) {
    return state.withRevision(
        state.profile(), active -> active.withBoots(change.apply(active.boots())));
  }

  private static BootRecord enabled(BootRecord boots) {
    return Fixtures.boots(false, boots.provenAt(), boots.failures());
  }

  private static BootRecord withoutFailures(BootRecord boots) {
    return Fixtures.boots(boots.disabled(), boots.provenAt(), List.of());
  }

  private static Action sameNumber(Action action) {
    if (!(action instanceof Action.AcceptCommand accept)) {
      return action;
    }
    ConfigurationCommands.Accepted next = accept.accepted();
    return new Action.AcceptCommand(
        accept.pool(),
        accept.before(),
        accept.handled(),
        new ConfigurationCommands.Accepted(
            accept.before().number(),
            next.after(),
            next.promote(),
            next.rollback(),
            next.rollout(),
            next.evict()));
  }
}
