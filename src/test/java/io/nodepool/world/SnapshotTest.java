package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.state.ClusterState;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.ReconcileKey;
import io.nodepool.model.members.Members;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that taking a snapshot changes nothing: two of the same moment are equal, and a run in
 * which all are taken again and again, and changed copies of them planned, is the same run step by
 * step. They are taken after every sixteenth step, and with {@code -Dworld.seeds=N} of more than 3
 * after every step.
 */
@Tag("world")
class SnapshotTest {
  private static final long SEEDS = Math.min(4, Long.getLong("world.seeds", 1));

  private static final int STEP = SEEDS > 3 ? 1 : 16;

  private final PoolPlanner planner =
      new PoolPlanner(InstanceCatalogue.bundled(), PlanSettings.DEFAULTS);

  static Stream<Scenario> scenarios() {
    return Scenario.all();
  }

  @ParameterizedTest
  @MethodSource("scenarios")
  void askingAtEveryStepChangesNeitherTheSnapshotsNorTheRun(Scenario scenario) {
    int writes = scenario.undisturbed().writes();
    for (long seed = 1; seed <= SEEDS; seed++) {
      List<String> alone = play(scenario, seed, writes, false);
      List<String> asked = play(scenario, seed, writes, true);
      assertThat(alone).isNotEmpty();
      assertThat(firstDifference(alone, asked)).as("seed %d", seed).isEmpty();
    }
  }

  private static Optional<String> firstDifference(List<String> alone, List<String> asked) {
    return IntStream.range(0, Math.max(alone.size(), asked.size()))
        .filter(i -> i >= alone.size() || i >= asked.size() || !alone.get(i).equals(asked.get(i)))
        .mapToObj(i -> "line %d: %s / %s".formatted(i, line(alone, i), line(asked, i)))
        .findFirst();
  }

  private static String line(List<String> lines, int index) {
    return index < lines.size() ? lines.get(index) : "the end";
  }

  private List<String> play(Scenario scenario, long seed, int writes, boolean asking) {
    Faults faults =
        seed % 2 == 0
            ? Faults.ROUGH
            : Faults.ROUGH.crashAt(1 + new SplittableRandom(seed).nextInt(writes), true);
    Drill drill = Drill.with(seed, scenario.dataCentre(), faults, OperatorOverrides.AS_BUILT);
    List<String> trace = new ArrayList<>();
    drill.world.trace(trace::add);
    if (asking) {
      drill.world.afterEachStep(() -> {
        if (drill.world.steps() % STEP == 0) {
          drill.world.operators().states().forEach(state -> ask(drill, state));
        }
      });
    }
    scenario.play().accept(drill);
    drill.toRest();
    return trace;
  }

  private void ask(Drill drill, ClusterState state) {
    for (ReconcileKey key : state.known()) {
      switch (key) {
        case ReconcileKey.OfPool(String name) -> ask(drill, state, name);
        case ReconcileKey.OfMachine(String name) -> {
          assertThat(state.snapshots().machine(name)).isEqualTo(state.snapshots().machine(name));
          assertThat(state.snapshots().leftover(name)).isEqualTo(state.snapshots().leftover(name));
        }
        case ReconcileKey.OfNamespace _, ReconcileKey.OfWrites _ -> {}
      }
    }
  }

  private void ask(Drill drill, ClusterState state, String pool) {
    Optional<PoolSnapshot> first = state.snapshots().pool(pool);
    first.ifPresent(seen -> {
      planner.plan(lessOne(seen), drill.world.instant());
      planner.plan(seen, drill.world.instant());
    });
    assertThat(state.snapshots().pool(pool)).isEqualTo(first);
  }

  /** The snapshot with one Host less. */
  private static PoolSnapshot lessOne(PoolSnapshot seen) {
    Members members = seen.members();
    return members.stream()
        .findFirst()
        .map(member -> seen.withMembers(members.without(member.host().id().uid())))
        .orElse(seen);
  }
}
