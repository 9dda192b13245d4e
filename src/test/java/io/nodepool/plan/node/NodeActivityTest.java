package io.nodepool.plan.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.Taint;
import io.nodepool.health.Health;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.model.node.Pod;
import io.nodepool.model.node.Workload;
import io.nodepool.model.snapshot.MachineSnapshot;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NodeActivityTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");
  private static final Node READY = node(true, false);
  private static final Node UNREACHABLE = node(false, false);
  private static final Pod TENANTS = Fixtures.pod("research", "train-0");

  private static Node node(boolean ready, boolean locked) {
    Taint lock = new Taint("sunk.coreweave.com/lock", "true", "NoExecute");
    Node node = Fixtures.node(new HostId("g1", "h-1"), "n-1", 1);
    return node.withStatus(node.status().withReady(ready, NOW))
        .withMetadata(NodeMetadata.NONE.withTaints(locked ? List.of(lock) : List.of()));
  }

  private static Pod pod(
      String namespace, String owner, boolean mirror, Pod.Interruption interruption) {
    Pod pod = Fixtures.pod(namespace, "p");
    return pod.withOwner(new Pod.Owner(owner, owner.isEmpty() ? "" : "x", mirror))
        .withEviction(pod.eviction().withInterruption(interruption));
  }

  private static Pod interruptible(Pod.Interruption interruption) {
    return pod("research", "ReplicaSet", false, interruption);
  }

  private static Pod ending(Instant graceEnds) {
    return Fixtures.ending(TENANTS, new Pod.Ending(graceEnds, Duration.ofSeconds(30)));
  }

  private static MachineSnapshot with(Node node, Pod... pods) {
    Host host =
        Fixtures.host(
            new HostId("g1", "h-1"),
            Host.Occupancy.none(1),
            new Host.Report(HostPhase.RUNNING, 1, "boot", "ncore-1", NOW));
    return new MachineSnapshot(
        host,
        Optional.of(node),
        new MachineSnapshot.Bound(List.of(pods), Set.of("kube-system")),
        Optional.empty(),
        Optional.empty(),
        MachineSnapshot.Evidence.NONE,
        Optional.empty(),
        Health.NONE);
  }

  private static Node.Activity of(Node node, Pod... pods) {
    return NodeActivity.of(with(node, pods), node, NOW);
  }

  @Test
  void aTenantsPodMakesItsNodeActiveAndIsNamedByItsOwner() {
    assertThat(of(READY, TENANTS))
        .isEqualTo(new Node.Activity(true, "1 Pod of tenant workloads: Job research/train."));
    assertThat(of(READY, pod("research", "", false, Pod.Interruption.NONE)).message())
        .isEqualTo("1 Pod of tenant workloads: Pod research/p.");
  }

  @Test
  void podsOfDaemonSetsMirrorPodsAndControlPlanePodsAreNotTenantWork() {
    assertThat(
            of(
                READY,
                pod("research", "DaemonSet", false, Pod.Interruption.NONE),
                pod("research", "", true, Pod.Interruption.NONE),
                pod("kube-system", "ReplicaSet", false, Pod.Interruption.NONE)))
        .isEqualTo(new Node.Activity(false, "No tenant workloads."));
  }

  @Test
  void interruptiblePodsDoNotKeepANodeActiveAndAreReported() {
    assertThat(
            of(
                READY,
                interruptible(Pod.Interruption.AT_ONCE),
                interruptible(Pod.Interruption.GRACEFUL)))
        .isEqualTo(new Node.Activity(false, "No tenant workloads but 2 interruptible Pods."));
    assertThat(of(READY, interruptible(Pod.Interruption.AT_ONCE), TENANTS).message())
        .isEqualTo("1 Pod of tenant workloads: Job research/train.");
  }

  @Test
  void aSlurmDaemonDoesNotKeepItsNodeActiveAndIsReported() {
    Pod daemon = pod("slurm", "NodeSet", false, Pod.Interruption.STANDBY);

    assertThat(of(READY, daemon))
        .isEqualTo(
            new Node.Activity(
                false, "No tenant workloads but the Slurm daemon of NodeSet slurm/x."));
    assertThat(of(READY, daemon, interruptible(Pod.Interruption.AT_ONCE)).message())
        .isEqualTo(
            "No tenant workloads but 1 interruptible Pod and the Slurm daemon of NodeSet slurm/x.");
    assertThat(of(node(true, true), daemon).message())
        .isEqualTo("SUNK holds the Node: taint sunk.coreweave.com/lock.");
    assertThat(NodeActivity.workload(List.of(daemon), name -> false, READY, NOW))
        .isEqualTo(Workload.NONE);
  }

  @Test
  void aNodeThatSunkHoldsIsActiveWithoutPods() {
    Node locked = node(true, true);

    assertThat(of(locked))
        .isEqualTo(new Node.Activity(true, "SUNK holds the Node: taint sunk.coreweave.com/lock."));
    assertThat(of(locked, TENANTS).message())
        .isEqualTo(
            "1 Pod of tenant workloads: Job research/train. SUNK holds the Node: taint sunk.coreweave.com/lock.");
  }

  @Test
  void aPodPastItsGracePeriodIsLiveOnlyOnAReadyNode() {
    Pod over = ending(NOW);

    assertThat(of(READY, over).active()).isTrue();
    assertThat(of(UNREACHABLE, over).active()).isFalse();
    assertThat(of(UNREACHABLE, ending(NOW.plusSeconds(1))).active()).isTrue();
    assertThat(of(UNREACHABLE, TENANTS).active()).isTrue();
  }

  @Test
  void anUnreachableNodeIsPlannedAgainWhenTheFirstGracePeriodEnds() {
    Pod first = ending(NOW.plusSeconds(30));
    Pod second = ending(NOW.plusSeconds(60));

    assertThat(NodeActivity.nextChange(List.of(second, first), UNREACHABLE, NOW))
        .contains(NOW.plusSeconds(30));
    assertThat(NodeActivity.nextChange(List.of(first), UNREACHABLE, NOW.plusSeconds(30))).isEmpty();
    assertThat(NodeActivity.nextChange(List.of(first), READY, NOW)).isEmpty();
  }
}
