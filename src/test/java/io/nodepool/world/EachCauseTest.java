package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.vocabulary.LifecycleState;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What one cause is given on a Node gives another one on the same Node neither time nor right. */
@Tag("world")
class EachCauseTest extends RepairWorld {
  EachCauseTest() {
    super(23);
  }

  @Test
  void anAlertHasItsOwnFirstMinuteOnANodeThatIsCordonedForHours() {
    Node node = grown();
    Pod pod = work(node);
    report(node, RESET);
    drill.advance(5, HOURS);
    assertThat(present(node).cordoned()).isTrue();

    report(node, OUT_NOW);
    drill.advance(55, SECONDS);
    assertThat(lives(pod)).isTrue();
    drill.advance(1, MINUTES);
    assertThat(lives(pod)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 300})
  void ofTwoRepairsOfABusyMachineTheOneThatMayInterruptItsWorkIsCarriedOutFirst(int minutes) {
    Node node = grown(3).getFirst();
    Pod pod = work(node);
    report(node, OUT_WHEN_IDLE);
    drill.advance(minutes, MINUTES);
    report(node, REBOOT_NOW);
    drill.advance(4, MINUTES);
    assertThat(lives(pod)).isFalse();
    assertThat(powerCycles(node)).isOne();
    drill.advance(6, MINUTES);
    signals.withdraw(node.name(), key(REBOOT_NOW));
    drill.advance(2, HOURS);
    // The other one still stands, and no work is on the Node.
    assertThat(now(node)).isEmpty();
    assertThat(host(node).deliveries().isSetAside()).isTrue();
  }

  @Test
  void aRequestOfTheSameKindWhileTheMachineBootsForItsRepairGetsABootOfItsOwn() {
    Node node = grown();
    report(node, REBOOT_NOW);
    drill.advance(2, MINUTES);
    assertThat(powerCycles(node)).isOne();
    new RebootClient(drill).request(node.name(), LifecycleState.REBOOT);
    drill.advance(8, MINUTES);
    signals.withdraw(node.name(), key(REBOOT_NOW));
    drill.toRest();

    assertThat(powerCycles(node)).isEqualTo(2);
    assertThat(host(node).boot().orElseThrow().alert()).isEmpty();
    assertThat(present(node).cordoned()).isFalse();
  }

  @Test
  void aVerificationThatAUserAskedForSaysNothingOfASuspectedAlert() {
    List<Node> nodes = grown(12);
    List<Node> reported = nodes.subList(0, 6);
    Node asked = reported.getFirst();
    List<Pod> pods = reported.stream().map(this::work).toList();
    cluster.workloads().finish(pods.getFirst().uid());
    cluster.nodeClients().cordon(asked.name(), true);
    drill.advance(1, MINUTES);
    // The user verifies a machine and lets tenants use it, which is then the only idle one.
    new RebootClient(drill).request(asked.name(), LifecycleState.VERIFICATION);
    drill.advance(30, SECONDS);
    reported.forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(2, SECONDS);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Pending");

    for (int i = 0; i < 600 && !isVerified(asked); i++) {
      drill.advance(1, SECONDS);
    }
    assertThat(host(asked).boot().orElseThrow().alert()).isEmpty();
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Pending");
    cluster.nodeClients().cordon(asked.name(), false);
    drill.advance(20, SECONDS);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Pending");
    drill.advance(30, MINUTES);
    assertThat(host(asked).boot().orElseThrow().alert()).isEqualTo(OUT_WHEN_IDLE);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " FalseAlarm");
  }

  private boolean isVerified(Node node) {
    return host(node).report().boot().verification().isPresent();
  }
}
