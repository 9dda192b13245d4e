package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.repair.ReleasedSuspects;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Several alerts about one machine, of which its pool holds the strongest, since a broken monitor
 * reports that about all machines (decisions D33 and D320).
 */
@Tag("world")
class AlertsBesideTest extends RepairWorld {
  private static final String DPU = "DPURouteCountMismatch";

  AlertsBesideTest() {
    super(47);
  }

  /** Twenty Nodes, of which all but these have work, and a monitor that is wrong about all. */
  private List<Node> withBrokenMonitor(String alert) {
    List<Node> nodes = grown(20);
    nodes.subList(5, 20).forEach(this::work);
    nodes.forEach(node -> report(node, alert));
    drill.advance(2, HOURS);
    assertThat(suspects()).containsExactly(alert + " FalseAlarm");
    return nodes;
  }

  @Test
  void aWeakerAlertIsActedOnBesideAFalseAlarm() {
    List<Node> nodes = withBrokenMonitor(OUT_NOW);
    report(nodes.get(0), OUT_WHEN_IDLE);
    report(nodes.get(1), REBOOT_NOW);
    report(nodes.get(2), DPU);
    drill.advance(20, MINUTES);

    assertThat(now(nodes.get(0))).isEmpty();
    assertThat(host(nodes.get(0)).deliveries().setAside()).contains(OUT_WHEN_IDLE);
    assertThat(powerCycles(nodes.get(1))).isPositive();
    assertThat(now(nodes.get(1))).isPresent();
    assertThat(host(nodes.get(2)).repair(DPU)).isPresent();
    assertThat(nodes.subList(3, 20))
        .allMatch(node -> powerCycles(node) == 0 && !present(node).cordoned());
    assertThat(suspects()).containsExactly(OUT_NOW + " FalseAlarm");
  }

  @Test
  void aWeakerAlertIsActedOnWhileAnotherOneIsSuspected() {
    List<Node> nodes = grown(20);
    List<Pod> pods = nodes.stream().map(this::work).toList();
    nodes.forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(10, MINUTES);
    assertThat(suspects()).containsExactly(OUT_WHEN_IDLE + " Pending");
    report(nodes.getFirst(), REBOOT_NOW);
    drill.advance(20, MINUTES);

    assertThat(powerCycles(nodes.getFirst())).isOne();
    assertThat(now(nodes.getFirst())).isPresent();
    assertThat(pods.subList(1, 20)).allMatch(this::lives);
    assertThat(pool.message(PoolCondition.REPAIRS_HELD)).contains(OUT_WHEN_IDLE);
  }

  /** The alert for which the Node is cordoned is suspected later: the other one takes its place. */
  @Test
  void aNodeThatIsCordonedForAnAlertThatIsSuspectedLaterIsRepairedForAnother() {
    List<Node> nodes = grown(20);
    Node busy = nodes.getFirst();
    Pod pod = work(busy);
    report(busy, OUT_WHEN_IDLE);
    report(busy, RESET);
    drill.advance(5, MINUTES);
    assertThat(present(busy).cordoned()).isTrue();
    nodes.subList(1, 20).forEach(this::work);
    nodes.subList(1, 20).forEach(node -> report(node, OUT_WHEN_IDLE));
    drill.advance(10, MINUTES);
    cluster.deletePod(pod.uid(), drill.world.instant());
    // It is idle, and verified for the alert that is in doubt first.
    drill.advance(20, MINUTES);

    assertThat(powerCycles(busy)).isOne();
    assertThat(host(busy).deliveries().isSetAside()).isFalse();
  }

  /** Once the strongest alert is acted on again, it decides. */
  @Test
  void aReleasedAlertTakesThePlaceOfAWeakerOne() {
    List<Node> nodes = withBrokenMonitor(OUT_WHEN_IDLE);
    Node busy = nodes.get(7);
    report(busy, RESET);
    drill.advance(10, MINUTES);
    assertThat(present(busy).cordoned()).isTrue();
    assertThat(alerts(busy)).containsExactly(RESET);

    Instant until = drill.world.instant().plus(Duration.ofHours(1));
    pool.edit(spec ->
        spec.withRepair(
            PoolSpec.RepairPolicy.DEFAULTS.withSuspects(
                ReleasedSuspects.read(OUT_WHEN_IDLE + "/" + until))));
    drill.advance(30, MINUTES);
    assertThat(suspects()).isEmpty();
    assertThat(alerts(busy)).contains(OUT_WHEN_IDLE);
  }

  private List<String> alerts(Node node) {
    return present(node).disruption().flatMap(Disruption::active).stream()
        .flatMap(active -> active.causes().stream())
        .flatMap(cause -> cause.what().repaired().stream())
        .map(repaired -> repaired.alert())
        .toList();
  }
}
