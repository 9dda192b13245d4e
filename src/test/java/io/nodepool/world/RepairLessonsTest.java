package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Faults that repairs by other operators have had, each as a scenario that must end well. */
@Tag("world")
class RepairLessonsTest extends RepairWorld {
  private static final String OTHER_RESET = "KernelDeadlock";

  RepairLessonsTest() {
    super(17);
  }

  private void withdraw(Node node, String alert) {
    signals.withdraw(node.name(), key(alert));
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
    assertThat(suspects()).containsExactly(OUT_NOW + " FalseAlarm");
    assertThat(repairs().waiting()).isPositive();
    assertThat(nodes.subList(0, 15)).allMatch(node -> powerCycles(node) == 0);
  }
}
