package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import io.nodepool.model.Fixtures;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests an invalid spec: it blocks its pool only, and affects no machine and no other pool. */
class BadSpecTest {
  private static final NodeTemplate GOOD =
      Drill.template(Map.of("team", "a"), Map.of(), new Taint("trial", "", "NoSchedule"));

  /** The label of the team is valid, and changes; the rest is invalid on any Node. */
  private static final NodeTemplate BAD =
      Drill.template(
          Map.of("team", "b", "bad key", "x"),
          Map.of(),
          new Taint("a b", "c d", "NoSchedule"),
          new Taint("node.kubernetes.io/disk-pressure", "", "NoSchedule"));

  private static final NodeTemplate BETTER = Drill.template(Map.of("team", "b"), Map.of());

  private static int writes(Drill drill) {
    return drill.world.cluster().appliedWrites().of("apply metadata");
  }

  private static Drill createdWith(NodeTemplate template, int target) {
    Drill drill = Drill.calm(1);
    drill.world.cluster().createPool("a", Fixtures.spec(target).withNode(template), World.START);
    return drill;
  }

  private static List<NodeMetadata> metadata(Drill drill) {
    return drill.pool("a").nodes().stream().map(Node::metadata).toList();
  }

  @Test
  void noHostIsAssignedForIt() {
    Drill drill = createdWith(BAD, 3).advance(3, HOURS);

    assertThat(drill.pool("a").conditions())
        .containsEntry("Validated", "Invalid")
        .containsEntry("Capacity", "NotChecked")
        .containsEntry("Quota", "NotChecked")
        .containsEntry("AtTarget", "UnderTarget");
    assertThat(drill.pool("a").message(PoolCondition.VALIDATED))
        .startsWith("spec.nodeLabels has the key \"bad key\": ")
        .contains("spec.nodeTaints has the key \"a b\": ");
    assertThat(drill.world.cluster().hosts().values()).allMatch(Host::isFree);
    assertThat(drill.emitted(EventReason.NODE_POOL_QUOTA_CHECK_FAILED)).isZero();

    drill.pool("a").carrying(BETTER).toRest();
    assertThat(drill.pool("a").conditions())
        .containsEntry("Validated", "Valid")
        .containsEntry("Capacity", "Sufficient")
        .containsEntry("Quota", "Under")
        .containsEntry("AtTarget", "TargetMet");
    assertThat(drill.emitted(EventReason.NODE_DELIVER_FAIL)).isZero();
  }

  @Test
  void nodesKeepTheirMetadataUntilItIsCorrected() {
    Drill drill = createdWith(GOOD, 2).toRest();
    List<NodeMetadata> before = metadata(drill);

    drill.pool("a").carrying(BAD).toRest();
    assertThat(metadata(drill)).isEqualTo(before);
    assertThat(writes(drill)).isZero();
    assertThat(drill.emitted(EventReason.NODE_POOL_METADATA)).isZero();

    drill.pool("a").carrying(BETTER).toRest();
    assertThat(metadata(drill))
        .hasSize(2)
        .allSatisfy(metadata -> {
          assertThat(metadata.labels()).containsEntry("team", "b");
          assertThat(metadata.taints()).extracting(Taint::key).containsExactly("is_gpu");
        });
    assertThat(writes(drill)).isEqualTo(2);
    assertThat(drill.emitted(EventReason.NODE_POOL_METADATA)).isEqualTo(2);
  }

  @Test
  void metadataThatAnotherClientChangesIsStillCorrected() {
    Drill drill = createdWith(GOOD, 1).toRest();
    List<NodeMetadata> before = metadata(drill);
    drill.pool("a").carrying(BAD).toRest();

    drill
        .pool("a")
        .everyNode(seen -> {
          SortedMap<String, String> labels = new TreeMap<>(seen.labels());
          labels.put("team", "mine");
          labels.put("compute.coreweave.com/node-pool", "another");
          return seen.withLabels(labels).withTaints(List.of());
        });
    drill.toRest();

    assertThat(metadata(drill).getFirst().labels()).isEqualTo(before.getFirst().labels());
    assertThat(metadata(drill).getFirst().taints())
        .containsExactlyInAnyOrderElementsOf(before.getFirst().taints());
  }

  @Test
  void bootingMachinesJoinWithTheMetadataOfTheirAssignment() {
    Drill drill = createdWith(GOOD, 3).advance(10, MINUTES);
    assertThat(drill.pool("a").nodes()).isEmpty();
    drill.pool("a").carrying(BAD).toRest();

    assertThat(drill.pool("a").nodes())
        .hasSize(3)
        .allSatisfy(node -> {
          assertThat(node.registered()).isTrue();
          assertThat(node.metadata().applied()).contains(GOOD);
          assertThat(node.metadata().labels()).containsEntry("team", "a");
        });
    assertThat(drill.pool("a").conditions())
        .containsEntry("Validated", "Invalid")
        .containsEntry("AtTarget", "TargetMet");
    assertThat(drill.emitted(EventReason.NODE_DELIVER_FAIL)).isZero();
    assertThat(drill.emitted(EventReason.NODE_REGISTRATION_FAILED)).isZero();
  }

  @Test
  void aMachineThatWaitsForAChangeToBePublishedIsNotLeftWaitingByABadOne() {
    Drill drill = Drill.calm(2);
    drill.pool("a").target(1).advance(10, MINUTES);
    drill.pool("a").carrying(GOOD);
    drill.pool("a").carrying(BAD).toRest();

    assertThat(drill.pool("a").nodes()).singleElement().matches(Node::registered);
  }

  /** Under lost answers, refusals, broken watches and a crash of the operator. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void underFaultsNoNodeGetsItEither(long seed) {
    Drill drill =
        Drill.with(
            seed, Faults.ROUGH.crashAt((int) seed * 3, seed % 2 == 0), OperatorOverrides.AS_BUILT);
    drill
        .world
        .cluster()
        .watch(
            WorldCluster.Kind.NODES,
            seen -> {
              if (seen instanceof Observation.NodeSeen(Node node)) {
                assertThat(node.metadata().labels()).doesNotContainKey("bad key");
                assertThat(node.metadata().taints())
                    .extracting(Taint::key)
                    .doesNotContain("a b", "node.kubernetes.io/disk-pressure");
              }
            });
    drill.pool("a").target(3).advance(10, MINUTES);
    drill.pool("a").carrying(GOOD).advance(15, MINUTES);
    drill.pool("a").carrying(BAD).advance(3, HOURS);
    drill.pool("a").target(4).advance(1, HOURS);
    assertThat(drill.pool("a").hosts()).hasSize(3);

    drill.pool("a").carrying(BETTER).toRest();
    assertThat(metadata(drill))
        .hasSize(4)
        .allSatisfy(metadata -> assertThat(metadata.applied()).contains(BETTER));
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void itStillShrinksAndIsDeleted() {
    Drill drill = createdWith(GOOD, 3).toRest();
    drill.pool("a").carrying(BAD).toRest();
    drill.pool("a").target(1).toRest();
    assertThat(drill.pool("a").nodes()).hasSize(1);

    drill.pool("a").delete().toRest();
    assertThat(drill.world.cluster().pool("a")).isEmpty();
    assertThat(drill.world.cluster().hosts().values()).allMatch(Host::isFree);
  }

  @Test
  void itKeepsItsPlaceInTheQueueAndItsQuotaButWithholdsNoHostFromOthers() {
    Drill drill = Drill.with(1, roomy(), Faults.NONE, OperatorOverrides.AS_BUILT);
    drill.pool("a").target(7).toRest();
    drill.pool("b").target(2).toRest();
    drill.pool("c").target(1).toRest();
    drill.pool("a").target(8).toRest();
    drill.pool("b").target(3).toRest();
    assertThat(drill.pool("b").message(PoolCondition.CAPACITY)).contains("position 2 of 2");

    drill.pool("a").carrying(BAD).toRest();
    assertThat(drill.pool("b").message(PoolCondition.CAPACITY)).contains("position 1 of 1");
    drill.pool("c").delete().toRest();
    assertThat(drill.pool("b").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.pool("a").seen().status().growth().orElseThrow().granted()).isEqualTo(8);

    drill.pool("b").target(4).toRest();
    drill.pool("a").carrying(GOOD).toRest();
    assertThat(drill.pool("b").message(PoolCondition.CAPACITY)).contains("position 2 of 2");
  }

  /** A data centre with ten machines and quota for twenty. */
  private static DataCentre roomy() {
    DataCentre usual = Drill.dataCentre();
    return usual.withQuotas(new TreeMap<>(Map.of(Drill.GPU, 20)));
  }
}
