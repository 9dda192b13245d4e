package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.cluster.WorldCluster;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Repairs in a large pool, counted at the machines and from the API server's side: 120 Nodes, each
 * night 250, or as many as {@code -Dworld.nodes} says. The checks of the world take a time that
 * grows with its square.
 */
@Tag("world")
class RepairAtScaleTest {
  private static final int NODES = Integer.getInteger("world.nodes", 120);
  private static final int BUSY = NODES / 10;

  private final Drill drill =
      Drill.with(
          11, Drill.racks(Drill.GPU, NODES / 36 + 2, 36), Faults.NONE, OperatorOverrides.AS_BUILT);
  private final WorldCluster cluster = drill.world.cluster();
  private final Drill.PoolDrill pool = drill.pool("a");

  private List<Node> grown() {
    pool.target(NODES).toRest();
    List<Node> nodes = pool.nodes();
    assertThat(nodes).hasSize(NODES);
    return nodes;
  }

  private static SignalKey key(String alert) {
    return new SignalKey("dcgm", "host", alert);
  }

  private long cordoned() {
    return pool.nodes().stream().filter(Node::cordoned).count();
  }

  private long underRepair() {
    return pool.nodes().stream()
        .filter(
            each -> each.metadata().label(NodeLabels.STATE).equals(LifecycleState.REBOOT.word()))
        .count();
  }

  private int powerCycles() {
    return cluster.powerCycles().values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The names of the machines that passed a verification without a boot. */
  private List<String> verified() {
    return cluster.hosts().values().stream()
        .filter(host ->
            host.boot().filter(boot -> boot.kind() == BootKind.VERIFICATION).isPresent()
                && host.report().boot().verification().filter(each -> each.passed()).isPresent())
        .map(host -> host.id().name())
        .toList();
  }

  private static Set<String> uids(List<Node> nodes) {
    return nodes.stream().map(Node::uid).collect(Collectors.toSet());
  }

  @Test
  void aMonitorThatIsWrongAboutAllNodesHarmsNone() {
    List<Node> nodes = grown();
    List<Pod> pods = new ArrayList<>();
    nodes.stream()
        .limit(BUSY)
        .forEach(node ->
            pods.add(
                cluster.bindPod("default", "train-" + node.name(), node.name(), "ReplicaSet")));
    drill.advance(30, SECONDS);
    int before = powerCycles();

    // Its alerts arrive over some seconds, as those of a real one do.
    long most = 0;
    for (int node = 0; node < NODES; node++) {
      cluster
          .signals()
          .report(
              nodes.get(node).name(),
              Signal.standing(key("GPUFallenOffBus"), drill.world.instant()));
      if (node % (NODES / 10) == 0) {
        drill.advance(1, SECONDS);
        most = Math.max(most, cordoned());
      }
    }
    for (int minute = 0; minute < 120; minute++) {
      drill.advance(1, MINUTES);
      most = Math.max(most, cordoned());
    }

    assertThat(most).isLessThanOrEqualTo(NODES / 5);
    assertThat(powerCycles()).isEqualTo(before);
    assertThat(uids(pool.nodes())).isEqualTo(uids(nodes));
    assertThat(cluster.hosts().values())
        .noneMatch(host -> host.deliveries().isSetAside())
        .filteredOn(host -> host.boot().filter(boot -> boot.kind().boots()).isPresent())
        .isEmpty();
    assertThat(pods)
        .allMatch(
            pod -> Objects.requireNonNull(cluster.pods().get(pod.uid())).deletedAt().isEmpty());
    SuspectedAlert suspect = pool.seen().status().repairs().suspects().getFirst();
    assertThat(suspect.alert()).isEqualTo("GPUFallenOffBus");
    assertThat(suspect.verdict()).isEqualTo(SuspectedAlert.Verdict.FALSE_ALARM);
    // Then idle machines with it are verified, one at a time.
    assertThat(verified()).hasSizeBetween(1, 12);
    assertThat(cordoned()).isLessThanOrEqualTo(1);

    nodes.forEach(node -> cluster.signals().withdraw(node.name(), key("GPUFallenOffBus")));
    drill.advance(15, MINUTES);
    assertThat(cordoned()).isZero();
    assertThat(uids(pool.nodes())).isEqualTo(uids(nodes));
    assertThat(powerCycles()).isEqualTo(before);
  }

  @Test
  void aFifthThatIsTrulyBrokenIsRepairedOneAMinute() {
    List<Node> nodes = grown();
    List<Node> broken = nodes.subList(0, NODES / 5);
    int before = powerCycles();
    broken.forEach(node -> drill.world.actors().silence(node.name(), Duration.ofDays(2)));
    drill.advance(16, MINUTES);

    int last = powerCycles();
    for (int minute = 0; last < before + broken.size(); minute++) {
      assertThat(minute).as("minutes for %d of them", last - before).isLessThan(2 * NODES / 4);
      drill.advance(1, MINUTES);
      assertThat(powerCycles() - last).as("begun in a minute").isBetween(0, 2);
      assertThat(underRepair()).isLessThanOrEqualTo(10);
      last = powerCycles();
    }
    drill.advance(60, MINUTES);
    assertThat(powerCycles()).isEqualTo(before + broken.size());
    assertThat(uids(pool.nodes())).isEqualTo(uids(nodes));
    assertThat(pool.nodes()).allMatch(node -> node.ready() && !node.cordoned());
  }
}
