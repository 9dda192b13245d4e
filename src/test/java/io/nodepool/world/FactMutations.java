package io.nodepool.world;

import io.nodepool.control.MachinePlanning;
import io.nodepool.control.PoolPlanning;
import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.members.Members;
import io.nodepool.model.node.Member;
import io.nodepool.model.pool.Growth;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.PoolPlan;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Faults in the facts that decisions depend on. */
final class FactMutations {
  private FactMutations() {}

  static Stream<Mutation> all() {
    OperatorOverrides built = OperatorOverrides.AS_BUILT;
    return Stream.of(
        Mutation.of(
            1,
            "Hosts are assigned before the growth request is published",
            built.withPlanner(FactMutations::hasty),
            "growth"),
        Mutation.of(
            2,
            "A Host that is being assigned counts twice",
            built.withPlanner(Seams.poolSeen(FactMutations::countedTwice)),
            "growth"),
        Mutation.of(
            3,
            "A Host that is being released still counts as held",
            built.withPlanner(Seams.poolSeen(FactMutations::stillHeld)),
            "cancel"),
        Mutation.of(
            4,
            "Loops run before the observation that woke them is folded",
            built.triggeredFirst(),
            "growth"),
        Mutation.of(
            5,
            "An object that an answer reports as deleted is not excluded (no tombstone)",
            built.withWriterAndWatch(FactMutations::withoutTombstone),
            "churn",
            "shrink"),
        Mutation.of(
            6,
            "The object in an answer is dropped: the next decision uses the older state",
            built.withWriter(Seams.understood(FactMutations::withoutObject)),
            "growth"),
        Mutation.of(
            7,
            "Watch events of Pods that ended are dropped",
            built.withWatch(FactMutations::withoutEndings),
            "shrink"),
        Mutation.of(
            8,
            "A Node's metadata follows the spec before the status reports the change",
            built.withMachines(FactMutations::early),
            "metadata"));
  }

  private static PoolPlanning hasty(PoolPlanning planner) {
    return (seen, now) -> {
      PoolPlan plan = planner.plan(seen, now);
      Optional<Growth> wanted = plan.status().growth();
      return wanted.isEmpty()
          ? plan
          : plan.withPlannedActions(planner.plan(published(seen, wanted), now).plannedActions());
    };
  }

  /** The snapshot, as if this request were already published on the object. */
  private static PoolSnapshot published(PoolSnapshot seen, Optional<Growth> growth) {
    Pool pool = seen.pool();
    return Fixtures.withPool(seen, pool.withStatus(pool.status().withGrowth(growth)));
  }

  private static PoolSnapshot countedTwice(PoolSnapshot seen) {
    long assigning =
        seen.members().stream()
            .flatMap(member -> member.underWay().stream())
            .filter(HostOperation.Assign.class::isInstance)
            .count();
    return seen.withHolding(seen.holding().withAssigning(seen.assigning() + (int) assigning));
  }

  private static PoolSnapshot stillHeld(PoolSnapshot seen) {
    return seen.withMembers(
        Members.of(
            seen.members().stream()
                .map(
                    member -> member.isBeingGivenBack() ? doingSomethingElse(seen, member) : member)
                .toList()));
  }

  private static Member doingSomethingElse(PoolSnapshot seen, Member member) {
    Host host = member.host();
    return Fixtures.member(
        host,
        member.node(),
        member.workload(),
        Optional.of(new HostOperation.Delivered(host.id(), host.tenancy(), seen.pool().id())),
        member.waiting(),
        member.findings());
  }

  /** Lets the watch, which the state trusts, report the same. */
  private static Writer withoutTombstone(Writer writer, Consumer<Observation> observe) {
    return Seams.understood(
            (action, answer) -> {
              if (answer instanceof Answer.Done<Observation>(Observation object)
                  && isGone(object)) {
                observe.accept(object);
              }
              return answer;
            })
        .apply(writer);
  }

  private static boolean isGone(Observation object) {
    return object instanceof Observation.NodeGone
        || object instanceof Observation.HostGone
        || object instanceof Observation.PoolGone
        || object instanceof Observation.PodGone;
  }

  private static Answer<Observation> withoutObject(Action action, Answer<Observation> answer) {
    return answer instanceof Answer.Done<Observation> && !(action instanceof Action.Read)
        ? Seams.NO_OBJECT
        : answer;
  }

  private static Consumer<Observation> withoutEndings(Consumer<Observation> watch) {
    return seen -> {
      if (!(seen instanceof Observation.PodGone)) {
        watch.accept(seen);
      }
    };
  }

  private static MachinePlanning early(MachinePlanning planner) {
    UnaryOperator<MachineSnapshot> unpublished =
        seen ->
            seen.withMetadata(
                seen.pool()
                    .filter(pool -> !pool.isTerminating())
                    .map(pool -> pool.spec().node().permitted()));
    return Seams.machineSeen((seen, now) -> unpublished.apply(seen)).apply(planner);
  }
}
