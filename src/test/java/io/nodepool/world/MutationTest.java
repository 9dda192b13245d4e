package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.PoolPlanning;
import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Condition;
import io.nodepool.model.Growth;
import io.nodepool.model.Member;
import io.nodepool.model.Observation;
import io.nodepool.model.Pool;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.plan.Action;
import io.nodepool.plan.NodeChange;
import io.nodepool.plan.Notice;
import io.nodepool.plan.PoolPlan;
import io.nodepool.vocabulary.PoolCondition;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Faults put into the operator on purpose: the harness must find each, or it would not find them
 * when they happen.
 */
@Tag("world")
class MutationTest {
  private static final long SEEDS = 400;

  /** An operator with one fault, and what is wrong with it. */
  record Mutation(String name, Parts parts) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Mutation> mutations() {
    return Stream.of(
        planning("Hosts are taken before the growth request is published", MutationTest::hasty),
        planning("a Host that is being assigned counts twice", MutationTest::countsTwice),
        planning("what is being given back still counts as held", MutationTest::forgetsGivenBack),
        planning("transition times move without a transition", MutationTest::restless),
        writing("taints are written as the whole list", WholeTaints::new),
        writing("what was applied is not recorded", Unrecorded::new),
        writing("operation ids are random", RandomIds::new),
        writing("events are told after the write", LateEvents::new),
        writing("an answer that was lost is taken for a success", Optimist::new),
        new Mutation("loops run before what woke them is folded", Parts.AS_BUILT.triggeredFirst()));
  }

  private static Mutation planning(String name, UnaryOperator<PoolPlanning> planner) {
    return new Mutation(name, Parts.AS_BUILT.withPlanner(planner));
  }

  private static Mutation writing(String name, UnaryOperator<Writer> writer) {
    return new Mutation(name, Parts.AS_BUILT.withWriter(writer));
  }

  @ParameterizedTest
  @MethodSource("mutations")
  void theHarnessFindsTheFault(Mutation mutation) {
    Optional<String> found =
        LongStream.rangeClosed(1, SEEDS)
            .boxed()
            .flatMap(seed -> Scenario.all().flatMap(scenario -> failure(scenario, seed, mutation)))
            .findFirst();
    assertThat(found).describedAs("what the harness says of: %s", mutation).isPresent();
  }

  private static Stream<String> failure(Scenario scenario, long seed, Mutation mutation) {
    SortedMap<String, String> expected = Expected.of(scenario);
    SplittableRandom random = new SplittableRandom(seed);
    Faults faults =
        seed % 2 == 0
            ? Faults.ROUGH
            : Faults.NONE.crashAt(1 + random.nextInt(30), random.nextBoolean());
    return scenario.failure(seed, faults, mutation.parts(), expected).stream();
  }

  /** Undisturbed runs of the operator as built, played once. */
  private static final class Expected {
    private static final Map<String, SortedMap<String, String>> OUTCOMES =
        new java.util.concurrent.ConcurrentHashMap<>();

    static SortedMap<String, String> of(Scenario scenario) {
      return OUTCOMES.computeIfAbsent(scenario.name(), name -> scenario.undisturbed().outcome());
    }
  }

  private static PoolPlanning hasty(PoolPlanning planner) {
    return (seen, now) -> {
      PoolPlan plan = planner.plan(seen, now);
      Optional<Growth> wanted = plan.status().growth();
      return wanted.isEmpty()
          ? plan
          : plan.withSteps(planner.plan(published(seen, wanted), now).steps());
    };
  }

  /** The snapshot, as if this request stood on the object already. */
  private static PoolSnapshot published(PoolSnapshot seen, Optional<Growth> growth) {
    Pool pool = seen.pool();
    return seen.withPool(Changed.status(pool, pool.version(), pool.status().withGrowth(growth)));
  }

  private static PoolPlanning countsTwice(PoolPlanning planner) {
    return (seen, now) -> {
      int twice =
          (int)
              seen.members().stream()
                  .filter(member ->
                      member.underWay().filter(HostOperation.Assign.class::isInstance).isPresent())
                  .count();
      return planner.plan(seen.withAssigning(seen.assigning() + twice), now);
    };
  }

  private static PoolPlanning forgetsGivenBack(PoolPlanning planner) {
    return (seen, now) ->
        planner.plan(
            seen.withMembers(
                seen.members().stream()
                    .map(member ->
                        member.isBeingGivenBack() ? doingSomethingElse(seen, member) : member)
                    .toList()),
            now);
  }

  private static Member doingSomethingElse(PoolSnapshot seen, Member member) {
    Host host = member.host();
    return new Member(
        host,
        member.node(),
        member.workload(),
        Optional.of(new HostOperation.Delivered(host.id(), host.tenancy(), seen.pool().id())),
        member.waiting(),
        member.findings());
  }

  private static PoolPlanning restless(PoolPlanning planner) {
    return (seen, now) -> {
      PoolPlan plan = planner.plan(seen, now);
      Map<PoolCondition, Condition> moved = new EnumMap<>(PoolCondition.class);
      plan.status()
          .conditions()
          .forEach((type, condition) ->
              moved.put(type, new Condition(condition.reason(), condition.message(), now)));
      return plan.withStatus(plan.status().withConditions(moved));
    };
  }

  private static final class RandomIds implements Writer {
    private final Writer writer;
    private static final SplittableRandom RANDOM = new SplittableRandom(1);

    RandomIds(Writer writer) {
      this.writer = writer;
    }

    @Override
    public void submit(List<Notice> notices, Action action, Consumer<Answer<Observation>> answer) {
      writer.submit(notices, randomized(action), answer);
    }

    private Action randomized(Action action) {
      if (!(action instanceof Action.OnHost(HostOperation.Assign assign))) {
        return action;
      }
      Assignment derived = assign.assignment();
      return new Action.OnHost(
          new HostOperation.Assign(
              assign.host(),
              assign.tenancyBefore(),
              new Assignment(
                  derived.pool(),
                  derived.computeClass(),
                  "assign/" + RANDOM.nextLong(),
                  derived.at(),
                  derived.node()),
              assign.configuration()));
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
      writer.read(subject, answer);
    }
  }

  private static final class LateEvents implements Writer {
    private final Writer writer;

    LateEvents(Writer writer) {
      this.writer = writer;
    }

    @Override
    public void submit(List<Notice> notices, Action action, Consumer<Answer<Observation>> answer) {
      writer.submit(
          List.of(),
          action,
          outcome -> {
            if (!notices.isEmpty()) {
              writer.submit(notices, action, told -> {});
            }
            answer.accept(outcome);
          });
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
      writer.read(subject, answer);
    }
  }

  /** Changes what is to be written to Nodes. */
  private abstract static class OtherMetadata implements Writer {
    private final Writer writer;

    OtherMetadata(Writer writer) {
      this.writer = writer;
    }

    abstract NodeChange other(NodeChange change);

    @Override
    public void submit(List<Notice> notices, Action action, Consumer<Answer<Observation>> answer) {
      writer.submit(
          notices,
          action instanceof Action.ApplyMetadata(String node, String uid, NodeChange change)
              ? new Action.ApplyMetadata(node, uid, other(change))
              : action,
          answer);
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
      writer.read(subject, answer);
    }
  }

  /** As a merge patch does: what is not ours in the list goes with it. */
  private static final class WholeTaints extends OtherMetadata {
    WholeTaints(Writer writer) {
      super(writer);
    }

    @Override
    NodeChange other(NodeChange change) {
      return change.taintsAdded().isEmpty()
          ? change
          : new NodeChange(
              change.recorded(),
              change.record(),
              change.labels(),
              change.annotations(),
              change.taints(),
              change.taints(),
              change.taintsAdded());
    }
  }

  private static final class Unrecorded extends OtherMetadata {
    Unrecorded(Writer writer) {
      super(writer);
    }

    @Override
    NodeChange other(NodeChange change) {
      return new NodeChange(
          change.recorded(),
          Optional.empty(),
          change.labels(),
          change.annotations(),
          change.taints(),
          change.taintsRemoved(),
          change.taintsAdded());
    }
  }

  /** Takes silence for consent, and folds nothing. */
  private static final class Optimist implements Writer {
    private final Writer writer;

    Optimist(Writer writer) {
      this.writer = writer;
    }

    @Override
    public void submit(List<Notice> notices, Action action, Consumer<Answer<Observation>> answer) {
      writer.submit(
          notices,
          action,
          outcome ->
              answer.accept(
                  outcome instanceof Answer.Unknown<Observation>
                          && action instanceof Action.ReportNode report
                      ? new Answer.Done<>(
                          new Observation.NodeGone(report.node(), report.nodeUid(), Long.MAX_VALUE))
                      : outcome));
    }

    @Override
    public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
      writer.read(subject, answer);
    }
  }
}
