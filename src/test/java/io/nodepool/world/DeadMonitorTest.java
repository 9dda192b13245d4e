package io.nodepool.world;

import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.health.Signal;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Monitors that write an alert and die, or have no heartbeat. */
@Tag("world")
class DeadMonitorTest extends RepairWorld {
  private static final String SOURCE = "dcgm";

  DeadMonitorTest() {
    super(5);
  }

  /** The monitor beats every ten minutes for so long. */
  private void beats(Duration lasts) {
    for (Duration at = Duration.ZERO; at.compareTo(lasts) <= 0; at = at.plusMinutes(10)) {
      drill.world.later(at, () -> signals.beat(SOURCE));
    }
  }

  /** Reports an alert by a monitor that counts by its heartbeats. */
  private void reportByHeartbeats(Node node, String alert) {
    Instant now = drill.world.instant();
    signals.report(node.name(), Signal.standing(key(alert), now).withReported(Optional.of(now)));
  }

  private Optional<String> shown(Node node, String alert) {
    return Optional.ofNullable(present(node).status().alerts().published().get(alert))
        .map(NodeStatus.Entry::message);
  }

  @Test
  void oneThatDiesCostsOneBootAndNotTheMachine() {
    Node node = grown();
    report(node, REBOOT_NOW);
    drill.advance(1, MINUTES);
    signals.die(SOURCE);
    drill.advance(30, HOURS);

    assertThat(powerCycles(node)).isOne();
    assertThat(present(node).cordoned()).isFalse();
    assertThat(host(node).deliveries().isSetAside()).isFalse();
    assertThat(present(node).metadata().label(NodeLabels.STATE)).isEqualTo("production");
    assertThat(present(node).status().alerts().published()).isEmpty();
  }

  @Test
  void oneThatLivesHasItsFaultRepairedAgainUntilTheMachineIsTakenOut() {
    Node node = grown();
    beats(Duration.ofHours(12));
    reportByHeartbeats(node, REBOOT_NOW);
    drill.advance(12, HOURS);

    assertThat(powerCycles(node)).isEqualTo(3);
    assertThat(host(node).deliveries().isSetAside()).isTrue();
  }

  @Test
  void whatASilentOneReportedWaitsCordonedAndIsNamedUntilItIsHeardAgain() {
    Node node = grown();
    work(node);
    reportByHeartbeats(node, OUT_WHEN_IDLE);
    drill.advance(11, HOURS);
    assertThat(present(node).cordoned()).isTrue();
    assertThat(shown(node, OUT_WHEN_IDLE).orElseThrow()).doesNotContain("stale");

    drill.advance(2, HOURS);
    cluster.pods().keySet().stream().toList().forEach(cluster.workloads()::finish);
    drill.advance(5, HOURS);
    assertThat(present(node).cordoned()).isTrue();
    assertThat(host(node).deliveries().isSetAside()).isFalse();
    assertThat(shown(node, OUT_WHEN_IDLE).orElseThrow())
        .contains(", stale: no heartbeat of dcgm since 2026-01-01T");
    assertThat(repairs().waiting()).isOne();
    assertThat(toldHeld())
        .containsExactly(
            OUT_WHEN_IDLE
                + " is stale: its source dcgm has not confirmed it. No repair begins for it until that does.");

    signals.beat(SOURCE);
    drill.toRest();
    assertThat(now(node)).isEmpty();
    assertThat(host(node).deliveries().isSetAside()).isTrue();
  }

  @Test
  void whatIsStaleWhenItIsReportedBeginsNothing() {
    Node node = grown();
    signals.report(
        node.name(),
        Signal.standing(key(OUT_NOW), drill.world.instant())
            .withReported(Optional.of(World.START.minus(Duration.ofHours(13)))));
    drill.advance(5, HOURS);

    assertThat(present(node).cordoned()).isFalse();
    assertThat(shown(node, OUT_NOW)).isEmpty();
    assertThat(toldHeld()).hasSize(1).allMatch(text -> text.startsWith(OUT_NOW + " is stale: "));
  }

  @Test
  void aStaleAlertHoldsNoOtherOneBack() {
    Node node = grown();
    Instant old = World.START.minus(Duration.ofHours(13));
    signals.report(
        node.name(),
        Signal.standing(key(OUT_WHEN_IDLE), drill.world.instant()).withReported(Optional.of(old)));
    drill.advance(10, MINUTES);
    report(node, RESET);
    drill.advance(30, MINUTES);

    assertThat(powerCycles(node)).isPositive();
    signals.withdraw(node.name(), key(RESET));
    signals.withdraw(node.name(), key(OUT_WHEN_IDLE));
    drill.toRest();
    assertThat(present(node).cordoned()).isFalse();
  }
}
