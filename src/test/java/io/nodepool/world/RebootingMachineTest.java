package io.nodepool.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.plan.Action;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.RebootMishaps;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.world.cluster.WorldCluster;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The virtual world's machines reboot as their Hosts request, with their Nodes and Pods in step.
 */
class RebootingMachineTest {
  private static final Duration REBOOT = DataCentre.Timings.REBOOT;
  private static final Duration VERIFICATION = DataCentre.Timings.VERIFICATION;
  private final Drill drill = Drill.calm(1);
  private final WorldCluster cluster = drill.world.cluster();
  private final String machine = joined();
  private final List<String> nodeStates = new ArrayList<>();

  private String joined() {
    drill.pool("a").target(1);
    drill.toRest();
    return cluster.nodes().firstKey();
  }

  private Host host() {
    return Optional.ofNullable(cluster.hosts().get(machine)).orElseThrow();
  }

  private Node node() {
    return Optional.ofNullable(cluster.nodes().get(machine)).orElseThrow();
  }

  private Answer<Observation> ask(BootRequest request) {
    return cluster.apply(
        new Action.OnHost(
            new HostOperation.Boot(
                host().id(), host().tenancy(), host().assignment().orElseThrow().pool(), request)),
        drill.world.instant());
  }

  private BootRequest first(BootKind kind) {
    return BootRequest.first(
        host().report().bootId(),
        kind,
        "operation-" + host().report().boot().cycles(),
        drill.world.instant(),
        host().boot());
  }

  private void advance(Duration duration) {
    drill.advance(duration.toSeconds(), ChronoUnit.SECONDS);
  }

  private void reboot() {
    ask(first(BootKind.REBOOT));
    advance(REBOOT.plus(VERIFICATION).plusMinutes(1));
  }

  private int powerCycles() {
    return cluster.powerCycles().getOrDefault(machine, 0);
  }

  private void watchNode() {
    nodeStates.add("Ready " + node().status().bootId());
    cluster.watch(
        WorldCluster.Kind.NODES,
        seen -> {
          if (seen instanceof Observation.NodeSeen(Node node)) {
            String state = (node.ready() ? "Ready " : "NotReady ") + node.status().bootId();
            if (nodeStates.isEmpty() || !nodeStates.getLast().equals(state)) {
              nodeStates.add(state);
            }
          }
        });
  }

  @Test
  void threeRequestsAreThreePowerCyclesAndFourBootIds() {
    List<String> ids = new ArrayList<>(List.of(host().report().bootId()));
    watchNode();
    for (int i = 0; i < 3; i++) {
      reboot();
      ids.add(host().report().bootId());
      assertThat(node().ready()).isTrue();
      assertThat(node().status().bootId()).isEqualTo(ids.getLast());
    }

    assertThat(ids).doesNotHaveDuplicates();
    assertThat(powerCycles()).isEqualTo(3);
    assertThat(host().report().boot().cycles()).isEqualTo(3);
    assertThat(nodeStates)
        .containsExactly(
            "Ready " + ids.get(0),
            "NotReady " + ids.get(0),
            "Ready " + ids.get(1),
            "NotReady " + ids.get(1),
            "Ready " + ids.get(2),
            "NotReady " + ids.get(2),
            "Ready " + ids.get(3));
    assertThat(host().report().boot().verification().orElseThrow().bootId())
        .isEqualTo(ids.getLast());
    assertThat(host().boot().orElseThrow().history()).hasSize(2);
  }

  @Test
  void repeatedRequestsAndLostAnswersAreOnePowerCycle() {
    BootRequest request = first(BootKind.REBOOT);
    assertThat(ask(request)).isInstanceOf(Answer.Done.class);
    assertThat(ask(request)).isInstanceOf(Answer.Done.class);
    cluster.fleetOwner().loseFleetAnswer(machine);
    advance(REBOOT.minusSeconds(10));
    cluster.fleetOwner().loseFleetAnswer(machine);
    advance(VERIFICATION.plusMinutes(5));
    assertThat(ask(request)).isInstanceOf(Answer.Done.class);
    assertThat(ask(request.withAt(drill.world.instant()))).isInstanceOf(Answer.Refused.class);
    drill.toRest();

    assertThat(powerCycles()).isEqualTo(1);
    assertThat(host().report().boot().cycles()).isEqualTo(1);
    assertThat(host().report().boot().verification().orElseThrow().passed()).isTrue();
  }

  @Test
  void podsNeitherStartNorEndWhileTheirMachineReboots() {
    Pod daemon = cluster.bindPod("default", "agent", machine, "DaemonSet");
    Pod ending = cluster.bindPod("default", "ending", machine, "DaemonSet");
    advance(Duration.ofMinutes(1));
    ask(first(BootKind.REBOOT));
    advance(Duration.ofSeconds(30));
    Pod late = cluster.bindPod("default", "late", machine, "DaemonSet");
    cluster.workloads().delete(ending.uid(), drill.world.instant(), Duration.ofSeconds(1));
    advance(Duration.ofMinutes(1));

    assertThat(node().ready()).isFalse();
    assertThat(cluster.pods()).containsKeys(daemon.uid(), ending.uid());
    assertThat(started(late)).isFalse();
    advance(REBOOT);
    assertThat(node().ready()).isTrue();
    assertThat(cluster.pods()).containsKey(daemon.uid()).doesNotContainKey(ending.uid());
    assertThat(started(late)).isTrue();
  }

  private boolean started(Pod pod) {
    return Optional.ofNullable(cluster.pods().get(pod.uid())).orElseThrow().execution().started();
  }

  @Test
  void theNextRebootHangsUntilAnotherTry() {
    cluster.fleetOwner().nextReboot(machine, RebootMishaps.Kind.HANG);
    BootRequest request = first(BootKind.POWER_RESET);
    ask(request);
    advance(Duration.ofHours(5));
    assertThat(host().isRebooting()).isTrue();
    assertThat(node().ready()).isFalse();

    ask(request.again(request.from(), drill.world.instant(), BootRequest.Outcome.NOT_BOOTED));
    advance(REBOOT.plus(VERIFICATION).plusMinutes(1));
    assertThat(node().ready()).isTrue();
    assertThat(powerCycles()).isEqualTo(2);
    assertThat(host().report().boot().verification().orElseThrow().attempt()).isEqualTo(2);
  }

  @Test
  void theNextVerificationFails() {
    cluster.fleetOwner().nextReboot(machine, RebootMishaps.Kind.VERIFICATION_FAILURE);
    reboot();
    assertThat(host().report().boot().verification().orElseThrow().passed()).isFalse();
    reboot();
    assertThat(host().report().boot().verification().orElseThrow().passed()).isTrue();
  }

  @Test
  void aMachineThatBootsByItselfIsNotVerified() {
    reboot();
    Optional<Host.Verification> last = host().report().boot().verification();
    cluster.fleetOwner().bootsByItself(machine, drill.world.instant());
    advance(VERIFICATION.multipliedBy(2));

    assertThat(node().status().bootId()).isEqualTo(host().report().bootId());
    assertThat(host().report().boot().verification()).isEqualTo(last);
    assertThat(powerCycles()).isEqualTo(1);
  }

  @Test
  void theHistoryStaysWithTheHostAndDoesNothingInTheNextTenancy() {
    reboot();
    reboot();
    Optional<BootRequest> kept = host().boot();
    assertThat(kept.orElseThrow().history()).hasSize(1);
    drill.pool("a").target(0);
    drill.toRest();
    assertThat(host().isFree()).isTrue();
    assertThat(host().boot()).isEqualTo(kept);

    drill.pool("a").target(10);
    drill.toRest();
    assertThat(host().is(HostPhase.RUNNING)).isTrue();
    assertThat(host().boot()).isEqualTo(kept);
    assertThat(host().isRebooting()).isFalse();
    assertThat(powerCycles()).isEqualTo(2);
  }
}
