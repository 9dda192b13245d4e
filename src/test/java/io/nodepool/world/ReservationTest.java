package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Reservation;
import io.nodepool.fleet.Taint;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.Pod;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the reservation of Nodes and its taints (decisions D15, D16 and D56). */
class ReservationTest {
  private static final Taint GPU = new Taint("is_gpu", "true", "PreferNoSchedule");
  private static final Taint CONTROL_PLANE =
      Reservation.taint(Reservation.PRODUCTION, Reservation.CONTROL_PLANE).orElseThrow();
  private static final Taint PENDING = Reservation.pending(Reservation.CONTROL_PLANE);

  private static Drill grown(String pool) {
    Drill drill = Drill.calm(1);
    drill.pool(pool).target(1).toRest();
    return drill;
  }

  private static NodeMetadata only(Drill drill) {
    return drill.pool("a").nodes().getFirst().metadata();
  }

  private static int writes(Drill drill) {
    return drill.world.cluster().appliedWrites().of("apply metadata");
  }

  private static NodeMetadata label(NodeMetadata metadata, NodeLabels label, String value) {
    SortedMap<String, String> labels = new TreeMap<>(metadata.labels());
    labels.put(label.key(), value);
    return metadata.withLabels(labels);
  }

  @Test
  void aTenantsNodeBelongsToTheOrganizationAndHasOnlyTheTaintOfItsKind() {
    Drill drill = grown("a");

    assertThat(only(drill).label(NodeLabels.RESERVED)).isEqualTo("example-org");
    assertThat(only(drill).taints()).containsExactly(GPU);
    assertThat(writes(drill)).isZero();
  }

  @Test
  void aNodeOfTheControlPlanesPoolIsReservedForItFromTheStart() {
    Drill drill = Drill.calm(1);
    drill.pool(Reservation.CONTROL_PLANE_POOL).target(Drill.CPU, 1).toRest();

    NodeMetadata metadata =
        drill.pool(Reservation.CONTROL_PLANE_POOL).nodes().getFirst().metadata();
    assertThat(metadata.label(NodeLabels.RESERVED)).isEqualTo("control-plane");
    assertThat(metadata.taints())
        .containsExactly(new Taint("is_cpu_compute", "", "NoSchedule"), CONTROL_PLANE);
    assertThat(CONTROL_PLANE.text())
        .matches("node\\.coreweave\\.cloud/reserved=[0-9a-f]{16}:NoExecute");
    assertThat(writes(drill)).isZero();
  }

  @ParameterizedTest
  @EnumSource(
      value = NodeLabels.class,
      names = {"STATE", "RESERVED", "NODE_POOL_UID", "COMPUTE_CLASS"})
  void aLabelThatAClientRemovesComesBack(NodeLabels label) {
    Drill drill = grown("a");
    String value = only(drill).label(label);
    drill
        .pool("a")
        .everyNode(metadata -> {
          SortedMap<String, String> labels = new TreeMap<>(metadata.labels());
          labels.remove(label.key());
          return metadata.withLabels(labels);
        });
    drill.toRest();

    assertThat(value).isNotEmpty();
    assertThat(only(drill).label(label)).isEqualTo(value);
    assertThat(only(drill).taints()).containsExactly(GPU);
  }

  @Test
  void theStateAndTheReservationOfARebootChangeTogether() {
    Drill drill = grown("a");
    WorldCluster cluster = drill.world.cluster();
    List<String> shown = new ArrayList<>();
    cluster.watch(
        seen -> {
          if (seen instanceof Observation.NodeSeen(Node node)) {
            shown.add(
                node.metadata().label(NodeLabels.STATE)
                    + " "
                    + node.metadata().label(NodeLabels.RESERVED));
          }
        },
        WorldCluster.Kind.NODES);
    drill
        .pool("a")
        .everyNode(metadata -> label(metadata, NodeLabels.PENDING_STATE, "production-reboot"));
    drill.advance(30, MINUTES);

    assertThat(shown.stream().distinct())
        .containsExactly("production example-org", "production-reboot production-reboot");
    assertThat(shown).last().isEqualTo("production example-org");
  }

  @Test
  void aNodeThatIsNotInProductionIsReservedForItsState() {
    Drill drill = grown("a");
    drill.pool("a").everyNode(metadata -> label(metadata, NodeLabels.STATE, "triage")).toRest();

    assertThat(only(drill).label(NodeLabels.RESERVED)).isEqualTo("triage");
    assertThat(only(drill).taints())
        .containsExactly(GPU, Reservation.taint("triage", "triage").orElseThrow());
    assertReportedOnNodeAndPool(drill, EventReason.NODE_TAINTED);

    drill.pool("a").everyNode(metadata -> label(metadata, NodeLabels.STATE, "production")).toRest();
    assertThat(only(drill).label(NodeLabels.RESERVED)).isEqualTo("example-org");
    assertThat(only(drill).taints()).containsExactly(GPU);
    assertReportedOnNodeAndPool(drill, EventReason.NODE_UNTAINTED);
    assertThat(writes(drill)).isEqualTo(2);
  }

  private static void assertReportedOnNodeAndPool(Drill drill, EventReason reason) {
    assertThat(drill.events(reason))
        .extracting(event -> event.eventDraft().regarding().kind())
        .containsExactlyInAnyOrder(EventTarget.NODE, EventTarget.POOL);
    assertThat(drill.emitted(reason)).isEqualTo(2);
  }

  @Test
  void aPendingNodeTakesNoNewWorkAndMovesWhenItsOwnIsDone() {
    Drill drill = grown("a");
    String name = drill.pool("a").nodes().getFirst().name();
    Pod work = drill.world.cluster().bindPod("default", "train", name, "Job");
    drill.advance(1, MINUTES);
    drill.pool("a").everyNode(m -> Scenario.desired(m, Reservation.CONTROL_PLANE));
    drill.toRest();

    assertThat(only(drill).label(NodeLabels.RESERVED)).isEqualTo("example-org");
    assertThat(only(drill).taints()).containsExactly(GPU, PENDING);

    drill.world.cluster().deletePod(work.uid(), drill.world.instant());
    drill.toRest();
    assertThat(only(drill).label(NodeLabels.RESERVED)).isEqualTo("control-plane");
    assertThat(only(drill).taints()).containsExactly(GPU, CONTROL_PLANE);
    assertThat(writes(drill)).isEqualTo(2);
  }

  @Test
  void anIdleNodeMovesOnlyAfterNothingNewWasLetIn() {
    Drill drill = grown("a");
    List<List<Taint>> course = new ArrayList<>();
    drill
        .world
        .cluster()
        .watch(
            WorldCluster.Kind.NODES,
            seen -> {
              if (seen instanceof Observation.NodeSeen(Node node)) {
                course.add(node.metadata().taints());
              }
            });
    drill.pool("a").everyNode(m -> Scenario.desired(m, Reservation.CONTROL_PLANE));
    drill.toRest();

    assertThat(course)
        .containsExactly(List.of(GPU), List.of(GPU, PENDING), List.of(GPU, CONTROL_PLANE));
  }

  @Test
  void aWithdrawnReservationRequestLeavesNoTrace() {
    Drill drill = grown("a");
    String name = drill.pool("a").nodes().getFirst().name();
    drill.world.cluster().bindPod("default", "train", name, "Job");
    drill.advance(1, MINUTES);
    drill.pool("a").everyNode(m -> Scenario.desired(m, Reservation.CONTROL_PLANE));
    drill.toRest();
    drill.pool("a").everyNode(m -> Scenario.desired(m, "example-org")).toRest();

    assertThat(only(drill).label(NodeLabels.RESERVED)).isEqualTo("example-org");
    assertThat(only(drill).taints()).containsExactly(GPU);
  }

  @Test
  void aRemovedReservationTaintIsRestoredBesideThePoolsTaints() {
    Drill drill = grown("a");
    drill.pool("a").carrying(Scenario.FIRST).advance(10, SECONDS);
    drill
        .pool("a")
        .everyNode(metadata ->
            label(metadata.withTaints(Scenario.FIRST.taints()), NodeLabels.RESERVED, "mine"))
        .toRest();

    assertThat(only(drill).label(NodeLabels.RESERVED)).isEqualTo("example-org");
    assertThat(only(drill).taints()).contains(GPU).containsAll(Scenario.FIRST.taints()).hasSize(3);
  }
}
