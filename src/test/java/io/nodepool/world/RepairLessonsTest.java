package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.cluster.WorldSignals;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Faults that repairs by other operators have had, each as a scenario that must end well. */
@Tag("world")
class RepairLessonsTest {
  private static final String OUT_NOW = "GPUFallenOffBus";
  private static final String OUT_WHEN_IDLE = "NodeGPUNVLinkDown";
  private static final String REBOOT_NOW = "GPUTimeoutError";
  private static final String RESET = "DPUUnexpectedPuntedRoutes";
  private static final String OTHER_RESET = "KernelDeadlock";

  private final Drill drill =
      Drill.with(17, Drill.racks(Drill.GPU, 1, 30), Faults.NONE, OperatorOverrides.AS_BUILT);
  private final WorldCluster cluster = drill.world.cluster();
  private final WorldSignals signals = cluster.signals();
  private final Drill.PoolDrill pool = drill.pool("a");

  private List<Node> grown(int size) {
    pool.target(size).toRest();
    return pool.nodes();
  }

  private Node grown() {
    return grown(1).getFirst();
  }

  private Pod work(Node node) {
    Pod pod = cluster.bindPod("default", "train-" + node.name(), node.name(), "ReplicaSet");
    drill.advance(10, SECONDS);
    return pod;
  }

  private void report(Node node, String alert) {
    signals.report(node.name(), Signal.standing(key(alert), drill.world.instant()));
  }

  private void withdraw(Node node, String alert) {
    signals.withdraw(node.name(), key(alert));
  }

  private static SignalKey key(String alert) {
    return new SignalKey("dcgm", "host", alert);
  }

  private Optional<Node> now(Node node) {
    return Optional.ofNullable(cluster.nodes().get(node.name()))
        .filter(each -> each.uid().equals(node.uid()));
  }

  private Node present(Node node) {
    return now(node).orElseThrow();
  }

  private Host host(Node node) {
    return Optional.ofNullable(cluster.hosts().get(node.name())).orElseThrow();
  }

  private int powerCycles(Node node) {
    return cluster.powerCycles().getOrDefault(node.name(), 0);
  }

  private void untilPowerCycles(Node node, int number) {
    for (int minute = 0; powerCycles(node) < number; minute++) {
      assertThat(minute).as("minutes until power cycle %d", number).isLessThan(600);
      drill.advance(1, MINUTES);
    }
  }

  private void isInProduction(Node node) {
    assertThat(present(node).cordoned()).isFalse();
    assertThat(present(node).metadata().label(NodeLabels.STATE)).isEqualTo("production");
    assertThat(present(node).status().lifecycle().phase()).isEqualTo("production");
    assertThat(present(node).status().lifecycle().pending()).isEmpty();
    assertThat(present(node).metadata().annotations())
        .doesNotContainKey(NodeAnnotations.CORDON_REASON.key());
  }

  @Test
  void aNodeIsNotCordonedForEverAfterItWasHandedToItsVerification() {
    Node node = grown();
    report(node, RESET);
    untilPowerCycles(node, 1);
    withdraw(node, RESET);
    // What the verification says arrives while no operator runs, and the next one finds it.
    drill.world.operators().kill();
    drill.advance(2, HOURS);
    assertThat(present(node).cordoned()).isTrue();
    drill.world.operators().start();
    drill.advance(15, MINUTES);

    isInProduction(node);
    assertThat(powerCycles(node)).isOne();
  }

  @Test
  void theCordonOfSomebodyElseIsNotTakenOff() {
    Node node = grown();
    cluster.nodeClients().cordon(node.name(), true);
    drill.advance(1, MINUTES);
    report(node, RESET);
    untilPowerCycles(node, 1);
    withdraw(node, RESET);
    drill.toRest();

    assertThat(present(node).cordoned()).isTrue();
    assertThat(present(node).metadata().annotations())
        .doesNotContainKey(NodeAnnotations.CORDON_REASON.key());
    assertThat(present(node).metadata().label(NodeLabels.STATE)).isEqualTo("production");
    assertThat(powerCycles(node)).isOne();
  }

  @Test
  void noMarksAreLeftAfterAPersonUncordoned() {
    Node node = grown();
    work(node);
    report(node, RESET);
    drill.advance(1, MINUTES);
    assertThat(present(node).cordoned()).isTrue();
    cluster.nodeClients().cordon(node.name(), false);
    drill.advance(1, MINUTES);

    isInProduction(node);
    drill.advance(8, MINUTES);
    isInProduction(node);
  }

  @Test
  void theEndOfAnEarlierAlertDoesNotEndTheRepairForThePresentOne() {
    Node node = grown();
    Pod pod = work(node);
    report(node, RESET);
    drill.advance(5, MINUTES);
    report(node, OTHER_RESET);
    drill.advance(5, MINUTES);
    withdraw(node, RESET);
    drill.advance(2, HOURS);
    assertThat(present(node).cordoned()).isTrue();
    assertThat(present(node).metadata().annotations())
        .containsEntry(
            NodeAnnotations.CORDON_REASON.key(), OTHER_RESET + ",NLCCPendingExitProduction");
    assertThat(powerCycles(node)).isZero();

    cluster.workloads().finish(pod.uid());
    untilPowerCycles(node, 1);
    assertThat(host(node).boot().orElseThrow().alert()).isEqualTo(OTHER_RESET);
    withdraw(node, OTHER_RESET);
    drill.toRest();
    isInProduction(node);
    assertThat(powerCycles(node)).isOne();
  }

  @Test
  void aRebootThatFailedIsNotInProgressForEver() {
    List<Node> nodes = grown(20);
    Node lost = nodes.get(0);
    Node next = nodes.get(1);
    cluster.fleetOwner().reboot(lost.name(), 0, RebootMishaps.Kind.HANG);
    report(lost, REBOOT_NOW);
    untilPowerCycles(lost, 1);
    report(next, REBOOT_NOW);
    // One of twenty may be repaired at once.
    drill.advance(10, MINUTES);
    assertThat(powerCycles(next)).isZero();

    untilPowerCycles(next, 1);
    withdraw(next, REBOOT_NOW);
    drill.toRest();
    isInProduction(next);
    assertThat(now(lost)).isEmpty();
    assertThat(powerCycles(lost)).isOne();
    assertThat(host(lost).deliveries().isSetAside()).isTrue();
    assertThat(pool.nodes()).hasSize(20);
  }

  @Test
  void theResultOfTheLastAttemptIsNotReadAsThatOfThisOne() {
    Node node = grown();
    report(node, RESET);
    untilPowerCycles(node, 1);
    withdraw(node, RESET);
    drill.toRest();
    assertThat(isVerified(node)).isTrue();

    report(node, RESET);
    untilPowerCycles(node, 2);
    withdraw(node, RESET);
    for (int minute = 0; !isVerified(node); minute++) {
      assertThat(minute).isLessThan(120);
      assertThat(present(node).cordoned()).as("minute %d", minute).isTrue();
      drill.advance(1, MINUTES);
    }
    drill.toRest();
    isInProduction(node);
    assertThat(powerCycles(node)).isEqualTo(2);
  }

  /** Whether the fleet has verified the boot that was requested last. */
  private boolean isVerified(Node node) {
    Host host = host(node);
    return host.report()
        .boot()
        .verification()
        .filter(each ->
            each.passed() && each.answers(host.report().bootId(), host.boot().orElseThrow()))
        .isPresent();
  }

  @Test
  void whatIsBackReturnsWhileALimitHoldsEverythingElse() {
    List<Node> nodes = grown(20);
    Node repaired = nodes.getLast();
    report(repaired, RESET);
    untilPowerCycles(repaired, 1);
    // One monitor is wrong about most of the others, and stays so.
    nodes.subList(0, 15).forEach(node -> report(node, OUT_NOW));
    // Another one is right about some, more than the level admits.
    nodes.subList(15, 19).forEach(node -> report(node, OUT_WHEN_IDLE));
    withdraw(repaired, RESET);
    drill.advance(2, HOURS);

    isInProduction(repaired);
    assertThat(pool.seen().status().removal().repairs().suspects()).containsExactly(OUT_NOW);
    assertThat(pool.seen().status().removal().repairs().waiting()).isPositive();
    assertThat(nodes.subList(0, 15)).allMatch(node -> powerCycles(node) == 0);
  }
}
