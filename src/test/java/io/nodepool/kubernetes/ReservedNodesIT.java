package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Nodes that are locked, reserved, or not in production, with the scheduler and the controllers of
 * Kubernetes (seed 003).
 */
@WithLocalCluster
class ReservedNodesIT {
  private static final String CPU = "turin-gp";
  private static final String GPU = "gd-8xh100ib-i128";
  private static final String STATE = "node.coreweave.cloud/state";
  private static final String RESERVED = "node.coreweave.cloud/reserved";
  private static final String DESIRED = "node.coreweave.cloud/reserved-desired";
  private static final String LOCK = "sunk.coreweave.com/lock";

  /** The first 16 hex digits of the SHA-256 of {@code test}, by {@code sha256sum}. */
  private static final String HASH_OF_TEST = "9f86d081884c7d65";

  /** The same of {@code control-plane}. */
  private static final String HASH_OF_CONTROL_PLANE = "9682666514c07508";

  private final LocalCluster cluster;
  private final KubernetesClient admin;
  private OperatedFleet fleet;
  private PoolUnderTest cpu;
  private PoolUnderTest gpu;

  ReservedNodesIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @BeforeEach
  void start() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", CPU, 1));
    centre.racks.add(rack("b", GPU, 3));
    centre.racks.add(rack("c", "gd-1xgh200", 1));
    centre.racks.add(rack("d", "gb200-4x", 18));
    List.of(CPU, GPU, "gd-1xgh200", "gb200-4x").forEach(type -> centre.quotas.add(quota(type, 18)));
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre);
    cpu = fleet.pool("cpu", CPU, 1);
    gpu = fleet.pool("gpu", GPU, 3);
    cpu.isWell();
    gpu.isWell();
  }

  @AfterEach
  void end() {
    admin.apps().daemonSets().inNamespace("default").delete();
    admin.pods().inNamespace("default").withGracePeriod(0).delete();
    eventually(() -> assertThat(admin.pods().inNamespace("default").list().getItems()).isEmpty());
    fleet.close();
  }

  private Node node(String name) {
    return admin.nodes().withName(name).require();
  }

  private void change(String name, Consumer<NodeBuilder> change) {
    ClientEdit.replaced(
        admin.nodes().withName(name),
        node -> {
          NodeBuilder next = new NodeBuilder(node);
          change.accept(next);
          return next.build();
        });
  }

  private void label(String name, String key, String value) {
    change(name, node -> node.editMetadata().addToLabels(key, value).endMetadata());
  }

  private void lock(String name) {
    change(
        name,
        node ->
            node.editSpec()
                .addNewTaint()
                .withKey(LOCK)
                .withValue("true")
                .withEffect("NoExecute")
                .endTaint()
                .endSpec());
  }

  private void unlock(String name) {
    change(
        name,
        node -> node.editSpec().removeMatchingFromTaints(t -> LOCK.equals(t.getKey())).endSpec());
  }

  private String condition(String name, String type) {
    return node(name).getStatus().getConditions().stream()
        .filter(each -> each.getType().equals(type))
        .map(each -> each.getStatus() + ": " + each.getMessage())
        .findFirst()
        .orElse("");
  }

  /** What the label of the reservation, and its taint, are. */
  private List<String> reservation(String name) {
    return List.of(
        node(name).getMetadata().getLabels().get(RESERVED),
        node(name).getSpec().getTaints().stream()
            .filter(taint -> taint.getKey().equals(RESERVED))
            .map(taint -> taint.getValue() + ":" + taint.getEffect())
            .findFirst()
            .orElse("none"));
  }

  private void pod(String name, String node, String type, List<Toleration> tolerations) {
    admin
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withTerminationGracePeriodSeconds(1L)
                .withNodeSelector(Map.of("kubernetes.io/hostname", node))
                .withTolerations(tolerations)
                .addNewContainer()
                .withName("main")
                .withImage("example.com/" + type + ":1")
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  private boolean runs(String name) {
    Pod pod = admin.pods().inNamespace("default").withName(name).get();
    return pod != null && "Running".equals(pod.getStatus().getPhase());
  }

  /** The tolerations of the seed's example, for a reservation with this hash. */
  private static List<Toleration> ofExample(String hash) {
    return List.of(
        new Toleration(null, LOCK, "Equal", null, "true"),
        new Toleration(null, "is_cpu_compute", "Exists", null, null),
        new Toleration(null, "is_gpu", "Exists", null, null),
        new Toleration(null, RESERVED, "Equal", null, hash));
  }

  private void daemonSet(String name, String hash) {
    admin
        .resource(
            new DaemonSetBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .addToMatchLabels("app", name)
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels("app", name)
                .endMetadata()
                .withNewSpec()
                .withTolerations(ofExample(hash))
                .addNewContainer()
                .withName("main")
                .withImage("example.com/agent:1")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build())
        .create();
  }

  private List<String> nodesOf(String daemonSet) {
    return admin
        .pods()
        .inNamespace("default")
        .withLabel("app", daemonSet)
        .list()
        .getItems()
        .stream()
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .map(pod -> pod.getSpec().getNodeName())
        .sorted()
        .toList();
  }

  @Test
  void theDaemonSetOfTheExampleRunsOnEveryKindOfNode() {
    List<String> gpus = gpu.nodes().sorted().toList();
    String ordinary = gpus.get(0);
    String locked = gpus.get(1);
    String tested = gpus.get(2);
    lock(locked);
    label(tested, STATE, "test");
    eventually(
        () -> assertThat(reservation(tested)).containsExactly("test", HASH_OF_TEST + ":NoExecute"));

    daemonSet("agent", HASH_OF_TEST);
    daemonSet("other", HASH_OF_CONTROL_PLANE);

    String onCpu = cpu.nodes().findFirst().orElseThrow();
    eventually(() ->
        assertThat(nodesOf("agent")).containsExactlyInAnyOrder(onCpu, ordinary, locked, tested));
    eventually(
        () -> assertThat(nodesOf("other")).containsExactlyInAnyOrder(onCpu, ordinary, locked));
  }

  @Test
  void aLockedNodeEvictsWhoDoesNotTolerateItAndIsNotChosen() {
    String locked = gpu.nodes().sorted().findFirst().orElseThrow();
    Toleration gpuOnly = new Toleration(null, "is_gpu", "Exists", null, null);
    pod("tenant", locked, "train", List.of(gpuOnly));
    pod(
        "slurm",
        locked,
        "slurm",
        List.of(gpuOnly, new Toleration(null, LOCK, "Equal", null, "true")));
    eventually(() -> assertThat(runs("tenant") && runs("slurm")).isTrue());

    lock(locked);
    eventually(
        () -> assertThat(admin.pods().inNamespace("default").withName("tenant").get()).isNull());
    admin.pods().inNamespace("default").withName("slurm").withGracePeriod(0).delete();
    eventually(
        () -> assertThat(condition(locked, "CWActive")).startsWith("True: SUNK holds the Node"));

    gpu.target(0).reports(AtTargetReason.OVER_TARGET, locked);
    eventually(() -> assertThat(gpu.nodes()).containsExactly(locked));
    assertThat(node(locked).getSpec().getUnschedulable()).isNull();
    assertThat(node(locked).getSpec().getTaints()).extracting(Taint::getKey).contains(LOCK);

    unlock(locked);
    eventually(() -> assertThat(gpu.nodes()).isEmpty());
  }

  @Test
  void aNodeMovesToTheControlPlaneAndBack() {
    String moved = gpu.nodes().sorted().findFirst().orElseThrow();
    List<String> before = reservation(moved);
    assertThat(before.getLast()).isEqualTo("none");
    pod("tenant", moved, "train", List.of());
    eventually(() -> assertThat(runs("tenant")).isTrue());

    label(moved, DESIRED, "control-plane");
    eventually(() ->
        assertThat(reservation(moved))
            .containsExactly(before.getFirst(), HASH_OF_CONTROL_PLANE + ":NoSchedule"));
    assertThat(runs("tenant")).isTrue();

    admin.pods().inNamespace("default").withName("tenant").withGracePeriod(0).delete();
    eventually(() ->
        assertThat(reservation(moved))
            .containsExactly("control-plane", HASH_OF_CONTROL_PLANE + ":NoExecute"));

    label(moved, DESIRED, before.getFirst());
    eventually(() -> assertThat(reservation(moved)).isEqualTo(before));
  }

  @Test
  void superchipsAreNotAvailableAsSpot() {
    fleet.spotPool("spot-gh200", "gd-1xgh200", 1).reports(ValidatedReason.INVALID, "gd-1xgh200");
    fleet.spotPool("spot-gb200", "gb200-4x", 18).reports(ValidatedReason.INVALID, "gb200-4x");
  }
}
