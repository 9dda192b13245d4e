package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.Observation;
import io.nodepool.model.node.ReportedState;
import io.nodepool.model.pool.NodesInState;
import io.nodepool.model.pool.Pool;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests what the status of a pool says of Nodes that tenants cannot use. */
class NodeStatesTest {
  private static final Duration LONG = Duration.ofMinutes(20);

  private static Drill with(int nodes) {
    return Drill.calm(1).pool("a").target(nodes).toRest();
  }

  private static Map<ReportedState, NodesInState> states(Drill drill) {
    return drill.pool("a").seen().status().counts().states();
  }

  private static List<String> names(Drill drill) {
    return drill.pool("a").nodes().stream().map(node -> node.name()).sorted().toList();
  }

  private static Instant now(Drill drill) {
    return drill.world.instant().truncatedTo(SECONDS);
  }

  @Test
  void aFailedMachineUnderAReadyNodeIsReported() {
    Drill drill = with(3);
    String failed = names(drill).getFirst();
    Instant then = now(drill);
    drill.world.actors().fail(failed, LONG);
    drill.advance(10, SECONDS);

    assertThat(drill.world.cluster().node(failed).orElseThrow().ready()).isTrue();
    assertThat(states(drill))
        .containsOnlyKeys(ReportedState.NOT_IN_SERVICE, ReportedState.ALERTING)
        .containsEntry(ReportedState.NOT_IN_SERVICE, new NodesInState(1, List.of(failed), then));
  }

  @Test
  void aMachineThatIsCleanedUnderAReadyNodeIsReported() {
    Drill drill = with(3);
    String cleaned = names(drill).getFirst();
    drill.world.actors().clean(cleaned, Duration.ofMinutes(1));
    drill.advance(10, SECONDS);
    assertThat(states(drill))
        .containsOnlyKeys(ReportedState.NOT_IN_SERVICE, ReportedState.ALERTING);
    drill.toRest();
    assertThat(states(drill)).isEmpty();
  }

  @Test
  void aPoolAtItsTargetWithoutAReadyNodeSaysSo() {
    Drill drill = with(7);
    Instant then = now(drill);
    List<String> names = names(drill);
    names
        .reversed()
        .forEach(name -> {
          drill.world.actors().silence(name, LONG);
          drill.advance(2, SECONDS);
        });

    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.pool("a").seen().status().currentNodes()).isEqualTo(7);
    assertThat(states(drill).get(ReportedState.NOT_READY))
        .isEqualTo(new NodesInState(7, names.subList(2, 7), then));
  }

  @Test
  void anotherOperatorSaysTheSame() {
    Drill drill = with(3);
    names(drill).forEach(name -> drill.world.actors().silence(name, LONG));
    drill.advance(1, MINUTES);
    PoolStatus before = drill.pool("a").seen().status();
    long version = drill.pool("a").seen().version();
    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(5, MINUTES);
    assertThat(before.counts().states()).containsOnlyKeys(ReportedState.NOT_READY);
    assertThat(drill.pool("a").seen().status()).isEqualTo(before);
    assertThat(drill.pool("a").seen().version()).isEqualTo(version);
  }

  @Test
  void aNodeThatIsRebootedIsInDisruptionFromItsCordonOn() {
    Drill drill = with(3);
    String name = names(drill).getFirst();
    List<Map<ReportedState, NodesInState>> said = said(drill);
    new RebootClient(drill).request(name, LifecycleState.REBOOT);
    drill.toRest();
    assertThat(said).anySatisfy(each -> assertThat(each).containsKey(ReportedState.IN_DISRUPTION));
    assertThat(states(drill)).isEmpty();
  }

  @Test
  void aPoolThatGrowsSaysNothing() {
    Drill drill = Drill.calm(1);
    List<Map<ReportedState, NodesInState>> said = said(drill);
    drill.pool("a").target(10).toRest();
    assertThat(said).isNotEmpty().allSatisfy(each -> assertThat(each).isEmpty());
  }

  /** What each status says that is published from now on. */
  private static List<Map<ReportedState, NodesInState>> said(Drill drill) {
    List<Map<ReportedState, NodesInState>> said = new ArrayList<>();
    drill
        .world
        .cluster()
        .watch(
            WorldCluster.Kind.POOLS,
            seen -> {
              if (seen instanceof Observation.PoolSeen(Pool pool)) {
                said.add(pool.status().counts().states());
              }
            });
    return said;
  }
}
