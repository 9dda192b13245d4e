package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MILLIS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests rollouts of a configuration over whole pools, with a watch of the raw Nodes of its own. */
@Tag("world")
class PoolRolloutTest {
  private static final String RACK_TYPE = "gb200-4x";
  private static final String FIRST = "ncore-2.10.1";
  private static final String SECOND = "ncore-2.11.0";
  private static final String THIRD = "ncore-2.12.0";

  private static Drill drill(long seed, DataCentre dataCentre) {
    return Drill.with(seed, dataCentre, Faults.NONE, OperatorOverrides.AS_BUILT);
  }

  private static List<Pod> work(Drill drill, int from, int to) {
    List<Node> nodes = drill.pool("a").nodes();
    List<Pod> pods = new ArrayList<>();
    for (int i = from; i < to; i++) {
      pods.add(
          drill
              .world
              .cluster()
              .bindPod("default", "train-" + i, nodes.get(i).name(), "ReplicaSet"));
    }
    drill.advance(10, SECONDS);
    return pods;
  }

  private static void ends(Drill drill, List<Pod> pods) {
    pods.forEach(pod -> drill.world.cluster().deletePod(pod.uid(), drill.world.instant()));
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void aHundredNodesOfWhichHalfAreBusyRollWithAtMostFiveUnavailable(long seed) {
    Drill drill = drill(seed, Drill.racks(Drill.GPU, 1, 110));
    drill.pool("a").spot(100).toRest();
    List<Pod> pods = work(drill, 50, 100);
    RolloutClient client = new RolloutClient(drill, "a");
    client.most(5);
    RolloutWatch watch = RolloutWatch.ofNodes(drill);
    client.rollOut(SECOND);
    drill.advance(20, MINUTES);
    List<String> busy = drill.pool("a").nodes().subList(50, 53).stream().map(Node::name).toList();
    busy.forEach(drill::reclaim);
    drill.toRest();

    assertThat(drill.pool("a").message(PoolCondition.NODE_RECONFIGURATION_REQUIRED))
        .contains("unavailable of at most 5, 47 busy.");
    assertThat(watch.busy).isEmpty();
    assertThat(watch.mostBefore()).isLessThan(5);
    assertThat(watch.times().values()).allMatch(times -> times <= 2);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.RUNNING);

    ends(drill, pods);
    drill.toRest();
    assertThat(client.booted(SECOND)).isEqualTo(100);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.NONE);
    assertThat(watch.mostBefore()).isLessThan(5);
    assertThat(drill.pool("a").conditions())
        .containsEntry("NodeReconfigurationRequired", "AllNodesUpToDate");
    assertThat(drill.pool("a").nodes()).noneMatch(Node::cordoned);
  }

  @Test
  void aPoolOfTwoNodesRolls() {
    Drill drill = Drill.calm(3);
    drill.pool("a").target(2).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    RolloutWatch watch = RolloutWatch.ofNodes(drill);
    client.rollOut(SECOND);
    drill.toRest();

    assertThat(client.booted(SECOND)).isEqualTo(2);
    assertThat(watch.before).containsExactly(0, 0);
    assertThat(watch.most).isOne();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 100, 200, 300, 400, 500, 600})
  void noNodeBeginsInThePlanThatTakesItsPlaceForGrowth(int millis) {
    Drill drill = drill(millis, Drill.racks(Drill.GPU, 1, 10));
    drill.pool("a").target(3).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    client.strategy(UpdateStrategy.ROLLOUT_ON_COMMAND);
    client.most(2);
    drill.advance(1, MINUTES);
    client.release(SECOND);
    drill.advance(1, MINUTES);
    client.promote();
    drill.advance(1, MINUTES);
    List<String> cordoned = new ArrayList<>();
    Set<String> before = new TreeSet<>();
    drill
        .world
        .cluster()
        .watch(
            WorldCluster.Kind.NODES,
            seen -> {
              if (seen instanceof Observation.NodeSeen(Node node)) {
                if (node.cordoned() && before.add(node.name())) {
                  cordoned.add(node.name());
                } else if (!node.cordoned()) {
                  before.remove(node.name());
                }
              }
            });
    drill.pool("a").target(5);
    drill.advance(millis, MILLIS);
    client.start();
    drill.toRest();
    assertThat(client.booted(SECOND)).isEqualTo(5);
    assertThat(cordoned).doesNotHaveDuplicates();
  }

  @Test
  void racksRollOneAfterTheOther() {
    Drill drill = drill(4, Drill.racks(RACK_TYPE, 2, 18));
    drill.pool("a").racks(RACK_TYPE, 2).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    RolloutWatch watch = RolloutWatch.ofRacks(drill);
    client.rollOut(SECOND);
    drill.toRest();

    assertThat(client.booted(SECOND)).isEqualTo(36);
    assertThat(watch.most).isOne();
    Map<String, String> rackOf =
        drill.pool("a").hosts().stream()
            .collect(Collectors.toMap(host -> host.id().name(), host -> host.machine().rack()));
    List<String> racks = watch.begun.stream().map(name -> rackOf.getOrDefault(name, "")).toList();
    assertThat(racks).hasSize(36);
    assertThat(racks.subList(0, 18)).containsOnly(racks.getFirst());
    assertThat(racks.subList(18, 36)).containsOnly(racks.getLast());
    assertThat(racks.getFirst()).isNotEqualTo(racks.getLast());
  }

  @Test
  void underRolloutOnCommandANodeIsStagedAtItsTurn() {
    Drill drill = Drill.calm(5);
    drill.pool("a").target(3).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    client.strategy(UpdateStrategy.ROLLOUT_ON_COMMAND);
    drill.advance(1, MINUTES);
    client.release(SECOND);
    drill.advance(1, MINUTES);
    client.promote();
    drill.toRest();
    assertThat(drill.pool("a").hosts())
        .allMatch(host -> host.occupancy().configuration().equals(FIRST));

    client.start();
    drill.toRest();
    assertThat(client.booted(SECOND)).isEqualTo(3);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.NONE);
  }

  @Test
  void aRolloutThatIsStoppedGoesOnWhereItWas() {
    Drill drill = Drill.calm(6);
    drill.pool("a").target(6).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    client.rollOut(SECOND);
    drill.advance(30, MINUTES);
    client.stop();
    drill.toRest();
    long before = client.booted(SECOND);
    assertThat(before).isBetween(1L, 5L);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.STOPPED);
    assertThat(drill.pool("a").nodes()).noneMatch(Node::cordoned);
    assertThat(drill.pool("a").message(PoolCondition.NODE_RECONFIGURATION_REQUIRED))
        .contains(before + " of 6 nodes up to date, stopped.");

    client.start();
    drill.toRest();
    assertThat(client.booted(SECOND)).isEqualTo(6);
    assertThat(client.state().rollout().number()).isOne();
  }

  @Test
  void aReleaseInTheMiddleIsRolledOutToAll() {
    Drill drill = Drill.calm(7);
    drill.pool("a").target(5).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    client.strategy(UpdateStrategy.ALWAYS);
    drill.advance(1, MINUTES);
    client.release(SECOND);
    drill.advance(1, MINUTES);
    client.start();
    drill.advance(30, MINUTES);
    client.release(THIRD);
    drill.toRest();

    assertThat(client.booted(THIRD)).isEqualTo(5);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.NONE);
  }

  @Test
  void aPoolThatIsDeletedInTheMiddleIsDeleted() {
    Drill drill = Drill.calm(8);
    drill.pool("a").target(5).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    client.most(3);
    client.rollOut(SECOND);
    drill.advance(2, MINUTES);
    drill.pool("a").delete().toRest();

    assertThat(drill.world.cluster().pools()).isEmpty();
    assertThat(drill.world.cluster().nodes()).isEmpty();
  }

  @Test
  void theCanarySoaksBeforeTheOthersBegin() {
    Drill drill = Drill.calm(9);
    drill.pool("a").target(5).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    client.settings(last -> last.withCanary(1, Duration.ofHours(3)));
    client.most(4);
    RolloutWatch watch = RolloutWatch.ofNodes(drill);
    client.rollOut(SECOND);
    drill.advance(150, MINUTES);
    assertThat(watch.begun).hasSize(1);
    assertThat(client.booted(SECOND)).isOne();
    drill.advance(60, MINUTES).toRest();
    assertThat(client.booted(SECOND)).isEqualTo(5);
    assertThat(watch.mostBefore()).isLessThan(4);
  }

  @Test
  void aConfigurationThatAllOthersRunNeedsNoCanaryAfterARollback() {
    Drill drill = Drill.calm(9);
    drill.pool("a").target(5).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    client.settings(last -> last.withCanary(1, Duration.ofHours(3)));
    client.most(4);
    client.rollOut(SECOND);
    drill.advance(60, MINUTES);
    assertThat(client.booted(SECOND)).isOne();
    client.rollback();
    drill.advance(60, MINUTES);

    assertThat(client.booted(FIRST)).isEqualTo(5);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.NONE);
  }

  @Test
  void aCanaryThatIsOutOfUseAtTheEndOfItsSoakHoldsTheOthersUp() {
    Drill drill = Drill.calm(9);
    drill.pool("a").target(5).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    client.settings(last -> last.withCanary(1, Duration.ofHours(3)));
    client.most(4);
    client.rollOut(SECOND);
    drill.advance(60, MINUTES);
    String canary =
        drill.pool("a").hosts().stream()
            .filter(host -> host.report().bootedConfiguration().equals(SECOND))
            .map(host -> host.id().name())
            .findFirst()
            .orElseThrow();
    drill.world.operators().kill();
    drill.advance(60, MINUTES);
    drill.world.cluster().nodeClients().cordon(canary, true);
    drill.advance(120, MINUTES);
    drill.world.operators().start();
    drill.advance(10, MINUTES);
    // Another Node is the canary now, and none of the others begins beside it.
    assertThat(client.booted(SECOND)).isEqualTo(2);
  }

  /** Machines of release 2 hang from the 11th boot on, whoever boots it. */
  @Test
  void aRolloutStopsAfterThreeFailuresSaysWhyAndEndsAfterTheRollback() {
    Drill drill = drill(11, Drill.racks(Drill.GPU, 1, 45));
    drill.pool("a").target(40).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    client.most(5);
    RolloutWatch watch = RolloutWatch.ofNodes(drill);
    client.rollOutBroken("2", 11);
    drill.toRest();

    String broken = client.state().profile();
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.PAUSED);
    assertThat(client.state().isDisabled()).isTrue();
    assertThat(drill.pool("a").message(PoolCondition.NODE_RECONFIGURATION_REQUIRED))
        .contains("paused. The configuration is disabled, because too many boots of it failed.");
    assertThat(client.booted(broken)).isEqualTo(10);
    assertThat(watch.times()).hasSizeLessThanOrEqualTo(10 + 3 + 5);
    assertThat(watch.mostBefore()).isLessThan(5);
    assertThat(drill.pool("a").nodes()).hasSize(40).noneMatch(Node::cordoned);
    assertThat(drill.pool("a").hosts()).allMatch(host -> host.deliveries().failure().isEmpty());

    client.rollback();
    drill.toRest();
    assertThat(client.booted(FIRST)).isEqualTo(40);
    assertThat(client.phase()).isEqualTo(RolloutState.Phase.NONE);
  }

  @Test
  void aNodeThatAPersonUncordonsIsPassedOver() {
    Drill drill = Drill.calm(12);
    drill.pool("a").target(3).toRest();
    RolloutClient client = new RolloutClient(drill, "a");
    RolloutWatch watch = RolloutWatch.ofNodes(drill);
    client.rollOut(SECOND);
    while (watch.begun.isEmpty()) {
      drill.world.advance(Duration.ofMillis(200));
    }
    String first = watch.begun.getFirst();
    drill.world.cluster().nodeClients().cordon(first, false);
    drill.toRest();

    assertThat(client.booted(SECOND)).isEqualTo(3);
    assertThat(watch.begun).hasSize(4);
    assertThat(watch.begun.get(1)).isNotEqualTo(first);
    assertThat(watch.times()).containsEntry(first, 2);
  }

  @Test
  void aStopReleasesANodeThatIsDrainedAndThatIsReported() {
    Drill drill = Drill.calm(12);
    drill.pool("a").target(1).toRest();
    Pod pod = work(drill, 0, 1).getFirst();
    drill.world.cluster().workloads().guard(pod.uid());
    String node = drill.pool("a").nodes().getFirst().name();
    RolloutClient client = new RolloutClient(drill, "a");
    client.settings(last -> last.withEvict(true));
    client.rollOut(SECOND);
    drill.advance(10, MINUTES);
    assertThat(drill.emitted(EventReason.NODE_DRAINING)).isPositive();
    assertThat(drill.events(EventReason.NODE_UNCORDONED)).isEmpty();

    client.stop();
    drill.advance(1, MINUTES);
    assertThat(drill.events(EventReason.NODE_UNCORDONED).map(event -> event.eventDraft().message()))
        .containsExactly(
            "Node %s is uncordoned and stays in NodePool a: its rollout was stopped, or no longer evicts."
                .formatted(node),
            "1 Node (%s) uncordoned: no longer to be rebooted or verified.".formatted(node));
    assertThat(drill.world.cluster().pods()).containsKey(pod.uid());
  }

  @Test
  void aRolloutThatEvictsDrainsBusyNodes() {
    Drill drill = Drill.calm(10);
    drill.pool("a").target(2).toRest();
    work(drill, 0, 2);
    RolloutClient client = new RolloutClient(drill, "a");
    client.settings(last -> last.withEvict(true));
    client.rollOut(SECOND);
    drill.toRest();
    assertThat(client.booted(SECOND)).isEqualTo(2);
    assertThat(drill.world.cluster().pods()).isEmpty();
  }
}
