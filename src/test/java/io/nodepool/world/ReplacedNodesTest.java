package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that a rollout counts the Nodes that its pool had and is replacing. */
@Tag("world")
class ReplacedNodesTest {
  private static final String SECOND = "ncore-2.11.0";
  private static final int TARGET = 7;
  private static final int MOST = 2;

  /** How many Nodes tenants could use at least, after every step from now on. */
  private static final class Least {
    int available = Integer.MAX_VALUE;

    Least(Drill drill) {
      drill.world.afterEachStep(
          () -> available = Math.min(available, ReplacedNodesTest.available(drill)));
    }
  }

  /** How many Nodes tenants can use, by the Nodes of the cluster alone. */
  private static int available(Drill drill) {
    return (int) drill.pool("a").nodes().stream().filter(ReplacedNodesTest::isOfUse).count();
  }

  private static boolean isOfUse(Node node) {
    String state = node.metadata().label(NodeLabels.STATE);
    return node.ready()
        && !node.cordoned()
        && !node.deleting()
        && (state.isEmpty() || state.equals("production"));
  }

  /**
   * Seven Nodes, of which two do not come back from their turn; of the machines that are left, the
   * first one fails whenever it is delivered.
   */
  private static Drill drill(long seed, Faults faults, int machines) {
    DataCentre dataCentre = Drill.racks(Drill.GPU, 1, machines);
    List<String> names = Drill.names(dataCentre);
    TreeSet<String> failing = new TreeSet<>();
    if (machines > TARGET) {
      failing.add(names.get(TARGET));
    }
    Drill drill =
        Drill.with(
            seed,
            dataCentre.withMishaps(DataCentre.Mishaps.NONE.withNeverBoot(failing)),
            faults,
            OperatorOverrides.AS_BUILT);
    drill.pool("a").target(TARGET).advance(2, HOURS);
    drill.pool("a").nodes().stream()
        .limit(2)
        .forEach(node ->
            drill.world.cluster().fleetOwner().reboot(node.name(), 0, RebootMishaps.Kind.FAIL));
    return drill;
  }

  private static void noneIsMissingBeyondTheLimit(Drill drill, Least least) {
    assertThat(least.available).isEqualTo(TARGET - MOST);
    assertThat(available(drill)).isEqualTo(TARGET - MOST);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void noMoreThanTheLimitIsMissingWhileReplacementsFail(long seed) {
    Drill drill = drill(seed, Faults.NONE, TARGET + 1);
    assertThat(available(drill)).isEqualTo(TARGET);
    RolloutClient client = new RolloutClient(drill, "a");
    client.most(MOST);
    Least least = new Least(drill);
    client.rollOut(SECOND);
    drill.advance(12, HOURS);
    noneIsMissingBeyondTheLimit(drill, least);

    // The machine that fails whenever it is delivered counts as failures of the configuration.
    assertThat(client.state().rollout().reason())
        .isEqualTo("The last 3 boots of the configuration failed.");
    client.start();
    drill.advance(12, HOURS);
    noneIsMissingBeyondTheLimit(drill, least);
  }

  /** No machine is left: both are gone for good, and that is said. */
  @Test
  void aRolloutHoldsAndSaysSoWhileNoMachineIsLeftAndGoesOnOnceFewerAreWanted() {
    Drill drill = drill(1, Faults.NONE, TARGET);
    RolloutClient client = new RolloutClient(drill, "a");
    client.most(MOST);
    Least least = new Least(drill);
    client.rollOut(SECOND);
    drill.advance(12, HOURS);
    noneIsMissingBeyondTheLimit(drill, least);
    assertThat(drill.pool("a").message(PoolCondition.NODE_RECONFIGURATION_REQUIRED))
        .contains("2 unavailable of at most 2, 2 gone and not replaced yet.");

    drill.pool("a").target(TARGET - MOST).advance(12, HOURS);
    assertThat(client.booted(SECOND)).isEqualTo(TARGET - MOST);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.NONE);
  }

  /** What was never there is no Node that is being replaced. */
  @Test
  void growthThatIsQueuedDoesNotHoldARolloutUp() {
    Drill drill =
        Drill.with(1, Drill.racks(Drill.GPU, 1, TARGET), Faults.NONE, OperatorOverrides.AS_BUILT);
    drill.pool("a").target(TARGET).advance(2, HOURS);
    drill.pool("a").target(TARGET + 5).advance(2, HOURS);
    RolloutClient client = new RolloutClient(drill, "a");
    client.rollOut(SECOND);
    drill.advance(12, HOURS);
    assertThat(client.booted(SECOND)).isEqualTo(TARGET);
  }

  /** The operator dies before or after each of its writes, and all that it knew is gone. */
  @Test
  void itIsKnownAfterACrashAtAnyWrite() {
    int writes = played(Faults.NONE);
    for (int write = writes / 2; write <= writes; write += 3) {
      played(Faults.NONE.crashAt(write, write % 2 == 0));
    }
  }

  /** Plays the failures, and returns how many writes the operator made. */
  private static int played(Faults faults) {
    Drill drill = drill(1, faults, TARGET + 1);
    RolloutClient client = new RolloutClient(drill, "a");
    client.most(MOST);
    Least least = new Least(drill);
    client.rollOut(SECOND);
    drill.advance(8, HOURS);
    noneIsMissingBeyondTheLimit(drill, least);
    return drill.world.writes();
  }

  @Test
  void aNodeThatAPersonCordonedIsNotRebooted() {
    Drill drill = Drill.calm(1);
    drill.pool("a").target(4).toRest();
    String node = drill.pool("a").nodes().get(1).name();
    drill.world.cluster().nodeClients().cordon(node, true);
    RolloutClient client = new RolloutClient(drill, "a");
    client.most(MOST);
    client.rollOut(SECOND);
    drill.advance(12, HOURS);
    assertThat(client.booted(SECOND)).isEqualTo(3);
    assertThat(drill.world.cluster().powerCycles()).doesNotContainKey(node);
    assertThat(drill.pool("a").message(PoolCondition.NODE_RECONFIGURATION_REQUIRED))
        .contains("1 unavailable of at most 2, 1 cordoned by others.");

    drill.world.cluster().nodeClients().cordon(node, false);
    drill.advance(2, HOURS);
    assertThat(client.booted(SECOND)).isEqualTo(4);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.NONE);
  }
}
