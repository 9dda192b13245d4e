package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Tests machines that do not boot or join in time, and Hosts that are deleted. */
class DeliveryTest {
  private static final List<String> MACHINES = Drill.machines(Drill.GPU);
  private static final String FIRST = MACHINES.getFirst();

  private static Drill with(DataCentre.Mishaps mishaps) {
    return Drill.with(
        1, Drill.dataCentre().withMishaps(mishaps), Faults.NONE, OperatorOverrides.AS_BUILT);
  }

  private static Drill neverBoots(String... hosts) {
    return with(DataCentre.Mishaps.NONE.withNeverBoot(new TreeSet<>(Set.of(hosts))));
  }

  private static Host host(Drill drill, String name) {
    return Objects.requireNonNull(drill.world.cluster().hosts().get(name), name);
  }

  @Test
  void aMachineThatDoesNotBootInTimeIsReleasedAndReplaced() {
    Drill drill = neverBoots(FIRST).pool("a").target(3).advance(59, MINUTES);
    assertThat(host(drill, FIRST).assignment()).isPresent();
    assertThat(drill.pool("a").seen().status().counts().inProgress()).isEqualTo(1);

    drill.advance(2, MINUTES);
    assertThat(host(drill, FIRST).assignment()).isEmpty();
    assertThat(host(drill, FIRST).deliveries().failure().map(DeliveryHistory.Failure::count))
        .contains(1);
    assertThat(drill.pool("a").hosts()).hasSize(3);

    drill.toRest();
    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.events(EventReason.NODE_DELIVER_FAIL))
        .singleElement()
        .satisfies(event ->
            assertThat(event.eventDraft().message())
                .isEqualTo(
                    "1 Host given back, others are taken: %s (it did not come up within 1h)."
                        .formatted(FIRST)));
  }

  @Test
  void aMachineThatBootsAndDoesNotJoinIsPoweredOffAndReleased() {
    Drill drill = with(DataCentre.Mishaps.NONE.withNeverJoin(new TreeSet<>(Set.of(FIRST))));
    drill.pool("a").target(2).toRest();

    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(host(drill, FIRST).isFree()).isTrue();
    assertThat(drill.events(EventReason.NODE_REGISTRATION_FAILED))
        .singleElement()
        .satisfies(event -> assertThat(event.eventDraft().regarding().name()).isEqualTo(FIRST));
    assertThat(drill.emitted(EventReason.NODE_DELIVER_FAIL)).isEqualTo(1);
  }

  @Test
  void aMachineThatFailsRepeatedlyIsSetAsideAndReported() {
    Drill drill = neverBoots(FIRST).pool("a").target(10).toRest();

    assertThat(host(drill, FIRST).deliveries().setAside())
        .startsWith("3 deliveries to pools failed in a row; the last time it did not come up");
    assertThat(drill.pool("a").nodes()).hasSize(9);
    assertThat(drill.pool("a").conditions())
        .containsEntry("Capacity", "QueuedAwaitingCapacity")
        .containsEntry("AtTarget", "UnderTarget");
    assertThat(drill.pool("a").message(PoolCondition.CAPACITY)).endsWith("Set aside: 1 Host.");
    assertThat(drill.emitted(EventReason.NODE_DELIVER_FAIL)).isEqualTo(3);

    drill.world.cluster().fleetOwner().setAside(FIRST, "");
    drill.advance(65, MINUTES);
    assertThat(drill.emitted(EventReason.NODE_DELIVER_FAIL)).isEqualTo(4);
  }

  @Test
  void aMachineThatBootsAfterAllHasItsFailuresCleared() {
    Drill drill = with(DataCentre.Mishaps.NONE.withBootFailurePercent(40));
    drill.pool("a").target(10).advance(20, HOURS);

    assertThat(drill.emitted(EventReason.NODE_DELIVER_FAIL)).isPositive();
    assertThat(drill.pool("a").hosts())
        .filteredOn(host -> drill.world.cluster().nodes().containsKey(host.id().name()))
        .isNotEmpty()
        .allMatch(host -> host.deliveries().failure().isEmpty());
  }

  @Test
  void timeWithoutAnOperatorDoesNotCount() {
    Drill drill = neverBoots(FIRST).pool("a").target(1).advance(30, MINUTES);
    drill.world.operators().kill();
    drill.advance(5, HOURS);
    drill.world.operators().start();

    drill.advance(50, MINUTES);
    assertThat(host(drill, FIRST).assignment()).isPresent();
    drill.advance(15, MINUTES);
    assertThat(host(drill, FIRST).assignment()).isEmpty();
  }

  @Test
  void whileTheOfferIsLostNothingIsReleasedAndThePoolRecoversByItself() {
    Drill drill = neverBoots(FIRST).pool("a").target(1).advance(30, MINUTES);
    drill.world.cluster().fleetOwner().loseOffer("its document does not exist");
    drill.advance(5, HOURS);
    assertThat(host(drill, FIRST).assignment()).isPresent();
    assertThat(drill.pool("a").conditions())
        .containsEntry("Validated", "InternalError")
        .containsEntry("Quota", "InternalError")
        .containsEntry("Capacity", "InternalError")
        .containsEntry("AtTarget", "UnderTarget");

    drill.world.cluster().fleetOwner().offer(Drill.dataCentre().offer());
    drill.toRest();
    assertThat(drill.pool("a").conditions())
        .containsEntry("Validated", "Valid")
        .containsEntry("AtTarget", "TargetMet");
  }

  @Test
  void aHostThatIsDeletedUnderItsNodeIsReplacedAndTheNodeIsRemovedOnceItIsIdle() {
    Drill drill = Drill.calm(3).pool("a").target(2).toRest();
    String name = drill.pool("a").nodes().getFirst().name();
    String pod = drill.world.cluster().bindPod("default", "work", name, "ReplicaSet").uid();
    drill.advance(1, MINUTES);
    drill.world.cluster().fleetOwner().delete(name);
    drill.advance(90, MINUTES);

    assertThat(drill.pool("a").conditions()).containsEntry("AtTarget", "TargetMet");
    assertThat(drill.world.cluster().nodes()).containsKey(name);

    drill.world.cluster().deletePod(pod, drill.world.instant());
    drill.toRest();
    assertThat(drill.world.cluster().nodes()).hasSize(2).doesNotContainKey(name);
  }
}
