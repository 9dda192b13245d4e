package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class GrowthTest {
  @Test
  void aPoolThatIsDeletedBeforeItsFirstReconcileIsRemovedLikeAnyOther() {
    for (long seed = 1; seed <= 50; seed++) {
      Drill drill = Drill.calm(seed).pool("a").target(3);
      drill.advance(drill.random.nextInt(200), ChronoUnit.MILLIS);
      drill.pool("a").delete().toRest();
      assertThat(drill.world.cluster().pools()).isEmpty();
      assertThat(drill.world.cluster().hosts().values()).allMatch(Host::isFree);
    }
  }

  @Test
  void aPoolReachesItsTargetAndReportsItInTheSamplesWords() {
    Drill drill = Drill.calm(1);
    drill.pool("a").target(8);
    drill.toRest();

    assertThat(drill.pool("a").conditions())
        .isEqualTo(
            Map.of(
                "Validated", "Valid",
                "Capacity", "Sufficient",
                "Quota", "Under",
                "AtTarget", "TargetMet",
                "NodeReconfigurationRequired", "AllNodesUpToDate"));
    assertThat(drill.pool("a").message(PoolCondition.AT_TARGET))
        .isEqualTo(AtTargetReason.TARGET_MET.message().orElseThrow());
    assertThat(drill.pool("a").seen().status().currentNodes()).isEqualTo(8);
    assertThat(drill.pool("a").nodes()).hasSize(8).allMatch(node -> node.registered());
    assertThat(drill.emitted(EventReason.NODE_POOL_CREATED)).isEqualTo(1);
    assertThat(drill.emitted(EventReason.NODE_REQUEST_QUEUED)).isEqualTo(8);
    assertThat(drill.emitted(EventReason.NODE_ASSIGNED)).isEqualTo(8);
    assertThat(drill.emitted(EventReason.NODE_POOL_SCALED_UP)).isEqualTo(1);
  }

  @Test
  void whileMachinesBootTheyCountAsInProgress() {
    Drill drill = Drill.calm(2);
    drill.pool("a").target(8);
    drill.advance(20, SECONDS);

    assertThat(drill.pool("a").seen().status().counts().inProgress()).isEqualTo(8);
    assertThat(drill.pool("a").seen().status().currentNodes()).isZero();
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "UnderTarget");
  }

  @Test
  void aFallingTargetCancelsWhatIsInProgressAndNothingElse() {
    Drill drill = Drill.calm(3);
    drill.pool("a").target(3);
    drill.toRest();
    drill.pool("a").target(9);
    drill.advance(20, SECONDS);
    drill.pool("a").target(3);
    drill.toRest();

    assertThat(drill.pool("a").seen().status().currentNodes()).isEqualTo(3);
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.world.cluster().appliedWrites().of("cancel Host")).isEqualTo(6);
    assertThat(drill.world.cluster().appliedWrites().of("create Node")).isEqualTo(3);
  }

  @Test
  void tooManyRegisteredNodesAreReportedAsOverTarget() {
    Drill drill = Drill.calm(4);
    drill.pool("a").target(5);
    drill.toRest();
    drill.pool("a").busy();
    drill.toRest().pool("a").target(2);
    drill.toRest();

    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "OverTarget");
    assertThat(drill.pool("a").message(PoolCondition.AT_TARGET)).contains("3 more than its target");
    assertThat(drill.pool("a").nodes()).hasSize(5);
  }

  @Test
  void aTargetThatIsRaisedToWhatWasReachedLastIsNoScaling() {
    Drill drill = Drill.calm(4);
    drill.pool("a").target(5);
    drill.toRest();
    drill.pool("a").busy();
    drill.toRest().pool("a").target(2);
    drill.toRest();
    drill.pool("a").target(5);
    drill.toRest();

    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.emitted(EventReason.NODE_POOL_SCALED_DOWN)).isZero();
    assertThat(drill.emitted(EventReason.NODE_POOL_SCALED_UP)).isEqualTo(1);
  }

  @Test
  void aNodeThatIsDeletedByHandIsReportedAsRemovedAndItsReturnAsScaling() {
    Drill drill = Drill.calm(13);
    drill.pool("a").target(3).toRest();
    for (int i = 0; i < 2; i++) {
      drill.world.cluster().nodeClients().delete(drill.pool("a").nodes().getFirst().name());
      drill.toRest();
    }

    assertThat(drill.pool("a").nodes()).hasSize(3);
    assertThat(drill.emitted(EventReason.NODE_POOL_SCALED_UP)).isEqualTo(3);
    assertThat(drill.emitted(EventReason.NODE_POOL_SCALED_DOWN)).isZero();
    assertThat(drill.emitted(EventReason.NODE_DELETED)).isEqualTo(2);
  }

  @Test
  void aPoolThatRequestsMoreThanTheSupplyTakesItAndQueues() {
    Drill drill = Drill.calm(5);
    drill.pool("a").target(6);
    drill.toRest();
    drill
        .world
        .cluster()
        .fleetOwner()
        .offer(OfferChange.quota(drill.world.cluster().offer(), Drill.GPU, 20));
    drill.pool("b").target(7);
    drill.toRest();

    assertThat(drill.pool("b").seen().status().currentNodes()).isEqualTo(4);
    assertThat(drill.pool("b").seen().status().counts().queued()).isEqualTo(3);
    assertThat(drill.pool("b").conditions())
        .containsEntry("Capacity", "QueuedAwaitingCapacity")
        .containsEntry("AtTarget", "UnderTarget");
    assertThat(drill.emitted(EventReason.INSUFFICIENT_CAPACITY)).isEqualTo(1);

    drill.pool("a").delete();
    drill.toRest();
    assertThat(drill.pool("b").seen().status().currentNodes()).isEqualTo(7);
    assertThat(drill.pool("b").conditions()).containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void aPoolThatHasAllItsNodesIsNoLongerOverAQuotaThatAnotherPoolLeaves() {
    Drill drill = Drill.calm(3);
    drill.pool("a").target(4);
    drill.pool("b").target(6).toRest();
    FleetOffer offer = drill.world.cluster().offer();
    TreeMap<String, Integer> less = new TreeMap<>(offer.quota());
    less.put(Drill.GPU, 8);
    drill.world.cluster().fleetOwner().offer(offer.withQuota(less));
    drill.toRest();
    assertThat(drill.pool("b").conditions()).containsEntry("Quota", "Over");

    drill.pool("a").target(2).toRest();
    assertThat(drill.pool("b").conditions()).containsEntry("Quota", "Under");
  }

  @Test
  void growthOverQuotaIsBlockedAsAWholeUntilQuotaIsFree() {
    Drill drill = Drill.calm(6);
    drill.pool("a").target(6);
    drill.toRest();
    drill.pool("b").target(5);
    drill.toRest();

    assertThat(drill.pool("b").hosts()).isEmpty();
    assertThat(drill.pool("b").conditions()).containsEntry("Quota", "Over");
    assertThat(drill.pool("b").seen().status().counts().queued()).isZero();
    assertThat(drill.emitted(EventReason.OVER_QUOTA)).isEqualTo(1);

    drill.pool("b").target(4);
    drill.toRest();
    assertThat(drill.pool("b").conditions())
        .containsEntry("Quota", "Under")
        .containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void anUnknownInstanceTypeIsRejectedWithTheValidOnes() {
    Drill drill = Drill.calm(7);
    drill.pool("a").target("gd-8xh100-i128", 2);
    drill.advance(1, MINUTES);

    assertThat(drill.pool("a").conditions()).containsEntry("Validated", "Invalid");
    assertThat(drill.pool("a").message(PoolCondition.VALIDATED)).contains("gd-8xh100ib-i128");
    assertThat(drill.pool("a").hosts()).isEmpty();
    assertThat(drill.emitted(EventReason.INVALID_INSTANCE_TYPE)).isEqualTo(1);
  }

  @Test
  void aDeletedPoolReleasesEverything() {
    Drill drill = Drill.calm(8);
    drill.pool("a").target(4);
    drill.toRest();
    drill.pool("a").target(8);
    drill.advance(15, SECONDS);
    drill.pool("a").delete();
    drill.toRest();

    assertThat(drill.world.cluster().pools()).isEmpty();
    assertThat(drill.world.cluster().nodes()).isEmpty();
    assertThat(drill.world.cluster().hosts().values()).allMatch(host -> host.isFree());
    assertThat(drill.emitted(EventReason.NODE_POOL_DELETED)).isEqualTo(1);
    assertThat(drill.emitted(EventReason.NODE_DELETED)).isEqualTo(4);
    assertThat(drill.world.operators().indexSizes().orElseThrow())
        .containsEntry("pools", 0)
        .containsEntry("Pods", 0)
        .containsEntry("tombstones", 0);
  }

  @Test
  void aPoolWithTenantWorkWaitsForItBeforeItsDeletion() {
    Drill drill = Drill.calm(9);
    drill.pool("a").target(3);
    drill.toRest();
    String node = drill.pool("a").nodes().getFirst().name();
    var pod = drill.world.cluster().bindPod("default", "train", node, "Job");
    drill.advance(1, MINUTES);
    drill.pool("a").delete();
    drill.toRest();

    assertThat(drill.pool("a").nodes()).extracting(seen -> seen.name()).containsExactly(node);
    assertThat(drill.pool("a").conditions()).containsEntry("NodesRemoved", "Pending");
    assertThat(drill.pool("a").message(PoolCondition.NODES_REMOVED)).contains(node);

    drill
        .world
        .cluster()
        .workloads()
        .delete(pod.uid(), drill.world.instant(), Duration.ofSeconds(30));
    drill.toRest();
    assertThat(drill.world.cluster().pools()).isEmpty();
    assertThat(drill.world.cluster().nodes()).isEmpty();
  }

  @Test
  void atRestAndAfterARestartNothingIsWritten() {
    Drill drill = Drill.calm(10);
    drill.pool("a").target(8);
    drill.toRest();
    int before = drill.world.writes();
    drill.advance(120, MINUTES);
    assertThat(drill.world.writes()).isEqualTo(before);

    drill.world.operators().kill();
    drill.world.operators().start();
    drill.toRest();
    assertThat(drill.world.writes()).isEqualTo(before);
  }
}
