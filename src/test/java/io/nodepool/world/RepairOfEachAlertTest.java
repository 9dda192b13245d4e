package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static java.time.temporal.ChronoUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.Host;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import io.nodepool.health.catalogue.ReferenceAlerts;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.Pod;
import io.nodepool.world.cluster.WorldCluster;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What becomes of a busy Node, its work and its machine for each alert of the reference, under both
 * values of {@code disableUnhealthyNodeEviction} (decisions D29 and D75). The work has a budget
 * that allows no eviction.
 */
@Tag("world")
class RepairOfEachAlertTest {
  private final Drill drill = Drill.calm(11);
  private final WorldCluster cluster = drill.world.cluster();

  static Stream<Arguments> cases() {
    return ReferenceAlerts.read().stream()
        .flatMap(row -> Stream.of(Arguments.of(row, true), Arguments.of(row, false)));
  }

  /** A hold of the catalogue and the settle time are over within this time. */
  private static final int AT_ONCE = 25;

  @ParameterizedTest
  @MethodSource("cases")
  void whatIsDone(ReferenceAlerts.Row row, boolean isProtected) {
    Drill.PoolDrill pool = drill.pool("a");
    pool.target(2).toRest();
    pool.edit(
        spec -> spec.withLifecycle(spec.lifecycle().withDisableUnhealthyNodeEviction(isProtected)));
    Node node = pool.nodes().getFirst();
    Pod pod = cluster.bindPod("default", "train", node.name(), "ReplicaSet");
    cluster.workloads().guard(pod.uid());
    drill.advance(10, SECONDS);
    SignalKey key = new SignalKey("dcgm", "host", row.name());
    cluster.signals().report(node.name(), Signal.standing(key, drill.world.instant()));
    pass(AT_ONCE, node, key);

    boolean boots = row.grade().startsWith("reset") || row.grade().startsWith("reboot");
    boolean leaves = row.grade().startsWith("out");
    boolean repairsDpu = row.grade().equals("repair DPU");
    boolean endsWork = (boots || leaves) && (row.overridesEviction() || !isProtected);
    assertThat(lives(pod)).isEqualTo(!row.overridesEviction());
    assertThat(isOutOfUse(node) || powerCycles(node) > 0).isEqualTo(boots || leaves);
    if (endsWork && !row.overridesEviction()) {
      // The deadline of the drain, after which budgets are not asked.
      pass(30, node, key);
      assertThat(lives(pod)).isFalse();
    } else if (!endsWork) {
      pass(24 * 60, node, key);
      assertThat(host(node).repair(row.name()).map(ComponentRepair::attempt))
          .isEqualTo(repairsDpu ? Optional.of(1) : Optional.empty());
      assertThat(lives(pod)).isTrue();
      assertThat(powerCycles(node)).isZero();
      assertThat(present(node)).isPresent();
      cluster.workloads().finish(pod.uid());
    }
    // One that goes out of service is verified first.
    pass(20, node, key);
    cluster.signals().withdraw(node.name(), key);
    drill.toRest();

    assertThat(powerCycles(node)).isEqualTo(boots ? 1 : 0);
    assertThat(present(node).isEmpty()).isEqualTo(leaves);
    assertThat(host(node).deliveries().isSetAside()).isEqualTo(leaves);
    assertThat(pool.nodes()).hasSize(2).noneMatch(Node::cordoned);
  }

  /**
   * Lets time pass in which the monitor takes its alert back once the machine is on another boot,
   * or its component is repaired.
   */
  private void pass(int minutes, Node node, SignalKey key) {
    for (int i = 0; i < minutes; i++) {
      drill.advance(1, MINUTES);
      if (powerCycles(node) > 0 || !host(node).report().repairs().isEmpty()) {
        cluster.signals().withdraw(node.name(), key);
      }
    }
  }

  private boolean lives(Pod pod) {
    return Optional.ofNullable(cluster.pods().get(pod.uid()))
        .filter(each -> each.deletedAt().isEmpty())
        .isPresent();
  }

  private Optional<Node> present(Node node) {
    return Optional.ofNullable(cluster.nodes().get(node.name()))
        .filter(each -> each.uid().equals(node.uid()));
  }

  private boolean isOutOfUse(Node node) {
    return present(node).filter(each -> !each.cordoned()).isEmpty();
  }

  private Host host(Node node) {
    return Optional.ofNullable(cluster.hosts().get(node.name())).orElseThrow();
  }

  private int powerCycles(Node node) {
    return cluster.powerCycles().getOrDefault(node.name(), 0);
  }
}
