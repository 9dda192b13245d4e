package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.simulated.DataCentre;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A suspected alert, and verifications that take longer than they are waited for. */
@Tag("world")
class SlowVerificationTest extends RepairWorld {
  private static final DataCentre MACHINES = Drill.racks(Drill.GPU, 1, 30);

  SlowVerificationTest() {
    super(
        Drill.with(
            44,
            MACHINES.withTimings(
                MACHINES
                    .timings()
                    .withReboot(DataCentre.Timings.REBOOT)
                    .withVerification(Duration.ofHours(6))),
            Faults.NONE,
            OperatorOverrides.AS_BUILT));
  }

  @Test
  void oneThatIsNotAnsweredShowsNothingAndAfterThreeTheAlertIsHeld() {
    List<Node> nodes = grown(20);
    nodes.forEach(node -> report(node, REBOOT_NOW));
    drill.advance(4, HOURS);

    assertThat(suspects()).containsExactly(REBOOT_NOW + " Held");
    assertThat(drill.events(EventReason.NODE_NOT_VERIFIED))
        .allMatch(each ->
            each.eventDraft()
                .message()
                .endsWith(": it was not verified and Ready within 1h. It is back in production."))
        .hasSize(3);
    assertThat(nodes)
        .allMatch(node -> powerCycles(node) == 0 && now(node).isPresent())
        .filteredOn(node -> host(node).boot().isPresent())
        .hasSize(3);
  }

  /** With two idle machines these are verified in turn. */
  @Test
  void threeWithoutAnAnswerHoldAnAlertAlsoOnTwoMachines() {
    List<Node> nodes = grown(20);
    nodes.subList(2, 20).forEach(this::work);
    nodes.forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(6, HOURS);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Held");
    assertThat(nodes).filteredOn(node -> host(node).boot().isPresent()).hasSize(2);
    assertThat(drill.events(EventReason.ALERT_SUSPECTED).map(each -> each.eventDraft().message()))
        .anyMatch(said ->
            said.startsWith(OUT_WHEN_IDLE + " is held: it is in doubt, and 2 Nodes (")
                && said.contains(") did not answer the verification."));
  }

  /** Its pool is deleted while its alert is in doubt. */
  @Test
  void aMachineThatDoesNotAnswerBeforeItLeavesIsGivenOutLast() {
    List<Node> nodes = grown(20);
    List<Pod> pods = nodes.stream().map(this::work).toList();
    nodes.subList(0, 8).forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(5, MINUTES);
    pool.delete();
    pods.forEach(pod -> cluster.workloads().finish(pod.uid()));
    drill.advance(50, MINUTES);
    assertThat(pool.nodes()).hasSize(8);
    drill.advance(20, MINUTES);

    assertThat(cluster.nodes()).isEmpty();
    assertThat(nodes)
        .filteredOn(node -> host(node).deliveries().failure().isPresent())
        .hasSize(8)
        .noneMatch(node -> host(node).deliveries().isSetAside());
  }
}
