package io.nodepool.world;

import static io.nodepool.vocabulary.EventReason.NODE_ALERT_ENDED;
import static io.nodepool.vocabulary.EventReason.NODE_ALERT_TRIGGERED;
import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeStatus;
import io.nodepool.model.node.ReportedState;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldSignals;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what clients see of signals about machines, on the virtual clock. */
class HealthWorldTest {
  private static final SignalKey FALLEN = new SignalKey("alertmanager", "gpu3", "GPUFallenOffBus");
  private static final SignalKey TIMEOUT = new SignalKey("alertmanager", "gpu2", "GPUTimeoutError");
  private static final SignalKey HOT = new SignalKey("alertmanager", "gpu1", "GPUVeryHot");

  private final Drill drill = Drill.calm(7);
  private final Drill.PoolDrill pool = drill.pool("a");
  private final WorldSignals signals = drill.world.cluster().signals();

  private Node grown() {
    pool.target(1);
    pool.edit(spec -> spec.withRepair(PoolSpec.RepairPolicy.DEFAULTS.withMode("observe")));
    drill.toRest();
    return pool.nodes().getFirst();
  }

  private Signal now(SignalKey key) {
    return Signal.standing(key, drill.world.instant());
  }

  private List<String> shown(Node node) {
    return List.copyOf(present(node).alerts().published().keySet());
  }

  private Node present(Node node) {
    return Optional.ofNullable(drill.world.cluster().nodes().get(node.name())).orElseThrow();
  }

  private List<String> events(EventReason reason) {
    return drill.events(reason).map(event -> event.eventDraft().message()).toList();
  }

  @Test
  void anAlertIsShownOnItsNodeAtOnceAndSaidOnce() {
    Node node = grown();
    signals.report(node.name(), now(FALLEN));
    drill.advance(5, SECONDS);

    NodeStatus.Entry condition =
        Optional.ofNullable(present(node).alerts().published().get("GPUFallenOffBus"))
            .orElseThrow();
    assertThat(condition.reason()).isEqualTo("Alert triggered GPUFallenOffBus");
    assertThat(condition.message())
        .isEqualTo("Grade out now, reported by alertmanager about gpu3.");
    assertThat(events(NODE_ALERT_TRIGGERED))
        .singleElement()
        .satisfies(text ->
            assertThat(text)
                .startsWith("Node %s has the alert GPUFallenOffBus since ".formatted(node.name()))
                .endsWith(". " + condition.message()));
    drill.advance(60, MINUTES);
    assertThat(shown(node)).containsExactly("GPUFallenOffBus");
    assertThat(events(NODE_ALERT_TRIGGERED)).hasSize(1);
  }

  /** That it is not Ready says nothing of what stands about its machine. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatOutlivedABootStandsWhileItsNodeIsNotReady(boolean restarted) {
    Node node = grown();
    signals.report(node.name(), now(TIMEOUT));
    drill.advance(1, MINUTES);
    new RebootClient(drill).request(node.name(), LifecycleState.REBOOT);
    drill.advance(1, HOURS);
    assertThat(present(node).ready()).isTrue();
    assertThat(shown(node)).containsExactly("GPUTimeoutError");
    int triggered = events(NODE_ALERT_TRIGGERED).size();
    int ended = events(NODE_ALERT_ENDED).size();

    drill.world.actors().silence(node.name(), Duration.ofHours(3));
    if (restarted) {
      OpenWorld.restart(drill.world, Duration.ofMinutes(1));
    }
    drill.advance(1, HOURS);
    assertThat(shown(node)).contains("GPUTimeoutError");
    drill.advance(3, HOURS);
    assertThat(shown(node)).containsExactly("GPUTimeoutError");
    assertThat(events(NODE_ALERT_TRIGGERED))
        .filteredOn(text -> text.contains("GPUTimeoutError"))
        .hasSize(triggered);
    assertThat(events(NODE_ALERT_ENDED))
        .filteredOn(text -> text.contains("GPUTimeoutError"))
        .hasSize(ended);
  }

  /** A fleet may keep the boot id after a loss of power: the machine runs on another boot then. */
  @Test
  void aMachineThatRunsAgainIsOnAnotherBootWhateverItsId() {
    Node node = grown();
    Instant since = drill.world.instant();
    signals.report(node.name(), now(TIMEOUT).withReported(Optional.of(since)));
    drill.advance(1, MINUTES);
    drill.world.actors().trip(node.name(), Duration.ofMinutes(12));
    drill.advance(1, HOURS);
    assertThat(present(node).ready()).isTrue();
    assertThat(shown(node)).isEmpty();
    assertThat(events(NODE_ALERT_ENDED)).hasSize(1);
    assertThat(events(NODE_ALERT_TRIGGERED)).hasSize(1);

    signals.report(
        node.name(),
        Signal.standing(TIMEOUT, since).withReported(Optional.of(drill.world.instant())));
    drill.advance(1, MINUTES);
    assertThat(shown(node)).containsExactly("GPUTimeoutError");
    assertThat(events(NODE_ALERT_TRIGGERED)).hasSize(2);
  }

  @Test
  void aNodeWhoseReservationWaitsForADayIsPendingForLong() {
    Node node = grown();
    drill.world.cluster().bindPod("default", "work", node.name(), "ReplicaSet");
    drill
        .world
        .cluster()
        .nodeClients()
        .label(node.name(), NodeLabels.RESERVED_DESIRED.key(), Optional.of("others"));
    drill.advance(23, HOURS);
    assertThat(shown(node)).isEmpty();
    drill.advance(2, HOURS);
    assertThat(shown(node)).containsExactly("PendingStateExtendedTime");
  }

  /** The documentation counts it from ten days on. */
  @Test
  void unusedGpusOfAPendingNodeCountAfterTenDays() {
    SignalKey unused = new SignalKey("alertmanager", "host", "PendingStateExtendedTimeLowGpuUtil");
    Node node = grown();
    drill.world.cluster().bindPod("default", "work", node.name(), "ReplicaSet");
    new RebootClient(drill).request(node.name(), LifecycleState.REBOOT);
    drill.advance(239, HOURS);
    signals.report(node.name(), now(unused));
    drill.advance(1, MINUTES);
    assertThat(shown(node)).containsExactly("PendingStateExtendedTime");

    drill.advance(2, HOURS);
    signals.report(node.name(), now(unused));
    drill.advance(1, MINUTES);
    assertThat(shown(node)).contains("PendingStateExtendedTimeLowGpuUtil");
  }

  @Test
  void itIsTakenOffOneClearAfterItEnded() {
    Node node = grown();
    signals.report(node.name(), now(FALLEN));
    drill.advance(5, MINUTES);
    signals.report(node.name(), now(FALLEN).endedAt(drill.world.instant()));
    drill.advance(9, MINUTES);
    assertThat(shown(node)).containsExactly("GPUFallenOffBus");
    assertThat(events(NODE_ALERT_ENDED)).isEmpty();

    drill.advance(61, SECONDS);
    assertThat(shown(node)).isEmpty();
    assertThat(events(NODE_ALERT_ENDED))
        .containsExactly("Node %s no longer has the alert GPUFallenOffBus.".formatted(node.name()));
  }

  @Test
  void aSignalThatIsTakenOutAndADeletedObjectAreAsIfItHadEnded() {
    Node node = grown();
    signals.report(node.name(), now(FALLEN));
    signals.report(node.name(), now(HOT));
    drill.advance(5, MINUTES);
    signals.withdraw(node.name(), HOT);
    drill.advance(11, MINUTES);
    assertThat(shown(node)).containsExactly("GPUFallenOffBus");

    signals.delete(node.name());
    drill.advance(11, MINUTES);
    assertThat(shown(node)).isEmpty();
  }

  @Test
  void oneThatComesAndGoesAHundredTimesIsOneAlert() {
    Node node = grown();
    int writes = drill.world.cluster().appliedWrites().of("report health");
    for (int i = 0; i < 100; i++) {
      signals.report(node.name(), now(FALLEN));
      drill.advance(3, SECONDS);
      signals.report(node.name(), now(FALLEN).endedAt(drill.world.instant()));
      drill.advance(3, SECONDS);
    }
    assertThat(events(NODE_ALERT_TRIGGERED)).hasSize(1);
    assertThat(events(NODE_ALERT_ENDED)).isEmpty();
    drill.advance(11, MINUTES);
    assertThat(events(NODE_ALERT_ENDED)).hasSize(1);
    assertThat(drill.world.cluster().appliedWrites().of("report health") - writes)
        .isLessThanOrEqualTo(4);
  }

  @Test
  void aNewOperatorKeepsWhatItFindsUntilItWasOffForClear() {
    Node node = grown();
    signals.report(node.name(), now(FALLEN));
    drill.advance(1, MINUTES);
    drill.world.operators().kill();
    signals.withdraw(node.name(), FALLEN);
    drill.world.operators().start();
    drill.advance(9, MINUTES);
    assertThat(shown(node)).containsExactly("GPUFallenOffBus");

    drill.advance(2, MINUTES);
    assertThat(shown(node)).isEmpty();
    assertThat(events(NODE_ALERT_TRIGGERED)).hasSize(1);
    assertThat(events(NODE_ALERT_ENDED)).hasSize(1);
  }

  @Test
  void whatIsUnknownOrNeedsNothingIsNotShownOnTheNode() {
    Node node = grown();
    signals.report(node.name(), now(new SignalKey("alertmanager", "host", "SomethingNew")));
    signals.report(node.name(), now(new SignalKey("alertmanager", "gpu0", "GPUContainedECCError")));
    drill.advance(5, MINUTES);

    assertThat(shown(node)).isEmpty();
    assertThat(events(NODE_ALERT_TRIGGERED)).isEmpty();
  }

  @Test
  void eightAreShownTheStrongestFirst() {
    Node node = grown();
    List.of(
            "GPUVeryHot",
            "DPULinkFlappingCPX",
            "DPUNetworkFrameErrs",
            "DPURouteLoop",
            "NodeLoadAverageHigh",
            "NodeMemoryError",
            "NodeNetworkReceiveErrs",
            "NodePCIErrorH100GPU",
            "NodePCIErrorH100PLX",
            "GPUFallenOffBus")
        .forEach(
            name -> signals.report(node.name(), now(new SignalKey("alertmanager", "host", name))));
    drill.advance(1, MINUTES);

    assertThat(shown(node))
        .hasSize(8)
        .contains("GPUFallenOffBus")
        .doesNotContain("NodePCIErrorH100GPU", "NodePCIErrorH100PLX");
  }

  @Test
  void oneThatWasOverLongBeforeItIsSeenIsNotShown() {
    Node node = grown();
    Signal over = now(FALLEN);
    drill.advance(60, MINUTES);
    // A monitor that was away reports what began and ended meanwhile.
    signals.report(node.name(), over.endedAt(over.since().plusSeconds(1200)));
    drill.advance(5, SECONDS);

    assertThat(shown(node)).isEmpty();
    assertThat(pool.seen().status().counts().states()).doesNotContainKey(ReportedState.ALERTING);
    assertThat(events(NODE_ALERT_TRIGGERED)).isEmpty();
  }

  @Test
  void anEntryThatCanNoLongerBeReadIsAsIfItHadEnded() {
    Node node = grown();
    signals.report(node.name(), now(FALLEN));
    signals.report(node.name(), now(HOT));
    drill.advance(5, MINUTES);
    signals.garble(node.name(), FALLEN);
    drill.advance(9, MINUTES);
    assertThat(shown(node)).containsExactlyInAnyOrder("GPUFallenOffBus", "GPUVeryHot");

    drill.advance(2, MINUTES);
    assertThat(shown(node)).containsExactly("GPUVeryHot");
  }

  @Test
  void oneThatTwoMonitorsReportStandsAsLongAsOneOfThemReportsIt() {
    Node node = grown();
    SignalKey other = new SignalKey("dcgm", "gpu3", FALLEN.name());
    signals.report(node.name(), now(FALLEN));
    drill.advance(1, MINUTES);
    signals.report(node.name(), now(other));
    drill.advance(1, MINUTES);
    signals.report(node.name(), now(FALLEN).endedAt(drill.world.instant()));
    drill.advance(30, MINUTES);
    assertThat(shown(node)).containsExactly("GPUFallenOffBus");
    assertThat(events(NODE_ALERT_TRIGGERED)).hasSize(1);

    signals.withdraw(node.name(), other);
    drill.advance(11, MINUTES);
    assertThat(shown(node)).isEmpty();
    assertThat(events(NODE_ALERT_ENDED)).hasSize(1);
  }
}
