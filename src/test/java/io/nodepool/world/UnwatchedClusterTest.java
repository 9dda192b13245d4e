package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is repaired after no operator watched for a while (decision D319). */
@Tag("world")
class UnwatchedClusterTest extends RepairWorld {
  UnwatchedClusterTest() {
    super(43);
  }

  private static final class Seeded extends RepairWorld {
    Seeded(int seed) {
      super(seed);
    }
  }

  /** One Node is reported while no operator runs for so long. */
  private Node faultyAfterOutage(String alert, int minutes) {
    Node node = grown(4).getFirst();
    drill.world.operators().kill();
    drill.advance(minutes - 1, MINUTES);
    report(node, alert);
    drill.advance(1, MINUTES);
    drill.world.operators().start();
    return node;
  }

  private List<String> held() {
    return held(this);
  }

  private static List<String> held(RepairWorld run) {
    return run.pool.seen().status().condition(PoolCondition.REPAIRS_HELD).stream()
        .map(condition -> condition.reason().word())
        .toList();
  }

  @Test
  void aNodeIsCordonedAndRepairedTenMinutesLater() {
    Node node = faultyAfterOutage(REBOOT_NOW, 11);
    drill.advance(9, MINUTES);
    assertThat(present(node).cordoned()).isTrue();
    assertThat(powerCycles(node)).isZero();
    assertThat(held()).containsExactly("Unwatched");
    assertThat(pool.message(PoolCondition.REPAIRS_HELD))
        .startsWith("No operator watched for a while; no repair begins until ");

    assertThat(toldHeld()).containsExactly(pool.message(PoolCondition.REPAIRS_HELD));

    drill.advance(1, MINUTES).advance(30, SECONDS);
    assertThat(powerCycles(node)).isOne();
    assertThat(held()).isEmpty();
  }

  @Test
  void anAlertThatIsOverByThenRepairsNothing() {
    Node node = faultyAfterOutage(REBOOT_NOW, 60);
    drill.advance(5, MINUTES);
    assertThat(present(node).cordoned()).isTrue();
    signals.withdraw(node.name(), key(REBOOT_NOW));
    drill.advance(30, MINUTES);
    assertThat(powerCycles(node)).isZero();
    assertThat(present(node).cordoned()).isFalse();
  }

  @Test
  void aShortOutageHoldsNothingForLong() {
    Node node = faultyAfterOutage(REBOOT_NOW, 9);
    drill.advance(3, MINUTES);
    assertThat(powerCycles(node)).isOne();
  }

  @Test
  void anotherStartMeanwhileEndsNoHold() {
    Node node = faultyAfterOutage(OUT_NOW, 30);
    drill.advance(5, MINUTES);
    drill.world.operators().kill();
    drill.world.operators().start();
    drill.advance(4, MINUTES);
    assertThat(present(node).isDraining()).isFalse();
    assertThat(held()).containsExactly("Unwatched");

    // It is verified first.
    drill.advance(20, MINUTES);
    assertThat(now(node)).isEmpty();
  }

  @Test
  void aComponentIsNotRepairedEither() {
    Node node = faultyAfterOutage("DPURouteCountMismatch", 30);
    drill.advance(9, MINUTES);
    assertThat(host(node).occupancy().repairs()).isEmpty();
    assertThat(held()).containsExactly("Unwatched");

    drill.advance(2, MINUTES);
    assertThat(host(node).occupancy().repairs()).hasSize(1);
  }

  /** Whether a plan or the renewal of the Lease comes first is the seed's. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void aProcessThatWasStoppedForLongBeginsNothingBeforeItKnows(int seed) {
    Seeded run = new Seeded(seed);
    Node node = run.grown(4).getFirst();
    Pod pod = run.work(node);
    run.report(node, RESET);
    run.drill.advance(30, MINUTES);
    run.drill.world.operators().pause(Duration.ofMinutes(11));
    run.cluster.workloads().finish(pod.uid());
    run.drill.advance(20, MINUTES);
    assertThat(run.powerCycles(node)).isZero();
    assertThat(held(run)).containsExactly("Unwatched");

    run.drill.advance(10, MINUTES);
    assertThat(run.powerCycles(node)).isOne();
  }
}
