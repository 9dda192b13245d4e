package io.nodepool.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.health.SignalSource;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.DataCentre;
import io.nodepool.world.OpenWorld;
import io.nodepool.world.World;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A monitor goes on to report if it is not silent now, however seldom it reports. */
@Tag("world")
class CuredAlertsTest {
  private static final Instant NOW = Instant.parse("2026-11-22T08:00:00Z");
  private static final DataCentre RACK = OpenWorld.racks(Story.TYPE, 1, 1);
  private static final Duration HOUR = Duration.ofHours(1);

  /** How old the heartbeat is after some time that is played, of one that is this old now. */
  private static Duration heartbeat(AlertCatalogue catalogue, Duration age, Duration played) {
    List<Observation> listed =
        List.of(
            new Observation.CatalogueSeen(catalogue),
            new Observation.SourceSeen(new SignalSource("dcgm", "uid-dcgm", 1, NOW.minus(age))));
    World world = World.of(listed, NOW, RACK, OperatorOverrides.AS_BUILT);
    new CuredAlerts(world, listed).watch();
    world.advance(played);
    return Duration.between(
        world.cluster().signals().heartbeat("dcgm").orElseThrow(), world.instant());
  }

  @Test
  void oneThatReportedHoursAgoGoesOn() {
    assertThat(heartbeat(AlertCatalogue.shipped(), HOUR.multipliedBy(7), HOUR.multipliedBy(23)))
        .isLessThan(AlertCatalogue.SILENCE);
  }

  @Test
  void oneThatIsSoonSilentReportsInTime() {
    AlertCatalogue changed =
        AlertCatalogue.shipped()
            .changedBy("alerts.yaml", "{alerts: {}, sources: {dcgm: {silence: 10m}}}");

    for (int minutes = 1; minutes < 20; minutes++) {
      assertThat(heartbeat(changed, Duration.ofMinutes(9), Duration.ofMinutes(minutes)))
          .isLessThan(Duration.ofMinutes(10));
    }
  }

  @Test
  void conditionsOfNodesAreConfirmedUntilTheirMachineBoots() {
    World world = OpenWorld.unwatched(1, RACK, OperatorOverrides.AS_BUILT);
    world.cluster().createPool("a", Fixtures.spec(Story.TYPE, 1), world.instant());
    world.advance(HOUR.multipliedBy(2));
    String node = world.cluster().nodes().firstKey();
    world.cluster().workloads().bind("default", "job", node, "Job", Pod.Interruption.NONE, false);
    world.cluster().nodeClients().observe(node, "GpuXid155");
    world.advance(Duration.ofMinutes(10));
    List<Observation> listed =
        Stream.of(WorldCluster.Kind.values())
            .flatMap(kind -> world.cluster().list(kind).stream())
            .toList();

    World played = World.of(listed, world.instant(), RACK, OperatorOverrides.AS_BUILT);
    new CuredAlerts(played, listed).watch();
    played.advance(HOUR.multipliedBy(5));
    assertThat(played.cluster().node(node).orElseThrow().alerts().others())
        .hasEntrySatisfying(
            "GpuXid155",
            each ->
                assertThat(each.heartbeat()).isAfter(played.instant().minus(HOUR.dividedBy(2))));

    played.cluster().fleetOwner().bootsByItself(node, played.instant());
    played.advance(HOUR);
    assertThat(played.cluster().node(node).orElseThrow().alerts().others()).isEmpty();
  }

  @Test
  void oneThatIsSilentStaysSilent() {
    assertThat(heartbeat(AlertCatalogue.shipped(), HOUR.multipliedBy(12), HOUR))
        .isEqualTo(HOUR.multipliedBy(13));
  }
}
