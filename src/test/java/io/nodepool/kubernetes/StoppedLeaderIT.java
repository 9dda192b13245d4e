package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static io.nodepool.kubernetes.api.NodePoolSpec.ScaleDownStrategy.PREFER_IDLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.cli.Main;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.leader.Leadership;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A leader whose process is paused for longer than its Lease, during a growth and during a drain,
 * and then continues with its old state.
 */
@WithLocalCluster
class StoppedLeaderIT {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final int MACHINES = 12;
  private static final Duration SOON = Duration.ofSeconds(90);

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private final Workloads work;
  private OperatedFleet fleet;

  @TempDir Path folder;

  StoppedLeaderIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
    this.work = new Workloads(admin);
  }

  @BeforeEach
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre("5s", "8s");
    centre.racks.add(rack("a", TYPE, MACHINES));
    centre.quotas.add(quota(TYPE, MACHINES));
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre);
  }

  @AfterEach
  void end() {
    work.delete();
    fleet.close();
  }

  @Test
  void aLeaderThatWasPausedPastItsLeaseWritesNothingMore() throws Exception {
    PoolUnderTest busy = fleet.pool("busy", TYPE, 2).isWell();
    List<String> working = work.deployment("busy-work", "busy", 2);
    PoolUnderTest drained = fleet.pool("drained", TYPE, 1).strategy(PREFER_IDLE).isWell();
    String guarded = work.deployment("guarded-work", "drained", 1).getFirst();
    work.neverEvict("guarded-work");
    try (FaultyProxy proxy = new FaultyProxy(cluster, FaultyProxy.Faults.NONE);
        NodeHistory history = new NodeHistory(admin);
        PodHistory pods = new PodHistory(admin)) {
      Process leader = operator(proxy);
      try {
        String before = holder();
        fleet.stopOperator();
        await().atMost(SOON).until(() -> !List.of(before, "").contains(holder()));
        PoolUnderTest growing = fleet.pool("growing", TYPE, 6);
        drained.target(0);
        eventually(() -> {
          assertThat(fleet.heldBy("growing")).hasSize(6);
          assertThat(history.messages(guarded, NodeRemovalReason.BLOCKED_BY_BUDGET)).hasSize(1);
        });

        signal("STOP", leader);
        fleet.restart(PlanSettings.DEFAULTS);
        work.letEvict("guarded-work");
        drained.hasMet(0);
        growing.isWell();
        growing.target(4).hasMet(4);
        Map<String, Long> written = writes(proxy);

        signal("CONT", leader);
        assertThat(leader.waitFor(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(leader.exitValue()).isEqualTo(1);
        assertThat(writes(proxy)).isEqualTo(written);
        assertThat(written).containsKey("patch hosts");
        growing.hasMet(4);
        assertThat(fleet.assignments()).isEqualTo(2 + 1 + 6);
        // The two operators may each have told a part of it.
        assertThat(growing.count(EventReason.NODE_ASSIGNED)).isEqualTo(6);
        assertThat(pods.evicted("guarded-work")).hasSize(1);
        assertThat(busy.nodes()).containsExactlyInAnyOrderElementsOf(working);
        history.assertUntouched(working);
      } finally {
        leader.destroyForcibly();
      }
    }
  }

  private Process operator(FaultyProxy proxy) throws IOException {
    Path kubeconfig =
        Files.writeString(
            folder.resolve("kubeconfig"),
            """
            apiVersion: v1
            kind: Config
            current-context: proxy
            contexts: [{name: proxy, context: {cluster: proxy, user: admin}}]
            clusters: [{name: proxy, cluster: {server: "%s"}}]
            users: [{name: admin, user: {token: "%s"}}]
            """
                .formatted(proxy.config().getMasterUrl(), cluster.adminToken()));
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xmx256m",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "run",
            "--kubeconfig=" + kubeconfig,
            "--metrics-port=0")
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("operator.log").toFile())
        .start();
  }

  private static void signal(String name, Process process) throws Exception {
    assertThat(
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor())
        .isZero();
  }

  /** The identity of the leader; empty text if there is none. */
  private String holder() {
    Lease lease = admin.leases().inNamespace(Leadership.NAMESPACE).withName(Leadership.LEASE).get();
    return lease == null || lease.getSpec().getHolderIdentity() == null
        ? ""
        : lease.getSpec().getHolderIdentity();
  }

  /** The writes through the proxy, except for the Lease. */
  private static Map<String, Long> writes(FaultyProxy proxy) {
    return proxy.requests().byKind().entrySet().stream()
        .filter(entry -> !entry.getKey().matches("(get|list|watch) .*|.* leases"))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Long::sum, TreeMap::new));
  }
}
