package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.drill.workload.ModelScheduler;
import io.nodepool.kubernetes.api.NodeTaint;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import io.nodepool.plan.PlanSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The scheduler of drills beside the real one: a Pod is bound to a Node on which it fits in the
 * model too, and it waits if there is none.
 */
@WithLocalCluster
class DrillSchedulerIT {
  private static final String GPU = "gd-8xh100ib-i128";
  private static final String CPU = "turin-gp";

  private static final String GPUS =
      "containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: 4}}}]\n";
  private static final String SMALL =
      """
      containers: [{name: a, image: a, resources: {requests: {cpu: 1, memory: 1Gi}}}]
      tolerations: [{key: is_cpu_compute, operator: Exists}]
      """;
  private static final String REQUIRED =
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [%s]}}}\n";
  private static final String TOLERATES = "tolerations: [{key: dedicated, operator: Exists}]\n";

  /** Each Pod stays, so that later ones find less room. */
  private static final List<String> SITUATIONS =
      List.of(
          GPUS,
          SMALL,
          GPUS + "nodeSelector: {team: a}\n",
          GPUS + "nodeSelector: {team: nobody}\n",
          GPUS + "nodeSelector: {team: b}\n",
          GPUS + "nodeSelector: {team: b}\n" + TOLERATES,
          GPUS
              + "nodeSelector: {team: b}\ntolerations: [{key: dedicated, value: b, effect: NoSchedule}]\n",
          GPUS
              + "nodeSelector: {team: b}\ntolerations: [{key: dedicated, value: c, effect: NoSchedule}]\n",
          GPUS
              + "nodeSelector: {team: b}\ntolerations: [{key: dedicated, operator: Exists, effect: NoExecute}]\n",
          GPUS + REQUIRED.formatted("{matchExpressions: [{key: team, operator: In, values: [a]}]}"),
          GPUS
              + REQUIRED.formatted(
                  "{matchExpressions: [{key: team, operator: NotIn, values: [a]}]}"),
          GPUS
              + TOLERATES
              + REQUIRED.formatted("{matchExpressions: [{key: team, operator: Exists}]}"),
          SMALL + REQUIRED.formatted("{matchExpressions: [{key: team, operator: DoesNotExist}]}"),
          SMALL
              + REQUIRED.formatted(
                  "{matchExpressions: [{key: generation, operator: Gt, values: ['3']}]}"),
          SMALL
              + REQUIRED.formatted(
                  "{matchExpressions: [{key: generation, operator: Lt, values: ['3']}]}"),
          SMALL
              + REQUIRED.formatted(
                  "{matchExpressions: [{key: team, operator: In, values: [nobody]}]}, {matchExpressions: [{key: team, operator: In, values: [a]}]}"),
          GPUS + "nodeSelector: {team: a}\n",
          GPUS + "nodeSelector: {team: a}\n",
          GPUS + "nodeSelector: {team: a}\n",
          "containers: [{name: a, image: a, resources: {requests: {cpu: 1000}}}]\n",
          """
          containers: [{name: a, image: a, resources: {requests: {memory: 1Gi}}}]
          initContainers: [{name: b, image: b, resources: {requests: {cpu: 1000}}}]
          """,
          "containers: [{name: a, image: a, resources: {requests: {example.com/fpga: 1}, limits: {example.com/fpga: 1}}}]\n");

  private final KubernetesClient admin;
  private final LocalCluster cluster;

  DrillSchedulerIT(LocalCluster cluster, KubernetesClient admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  @Test
  void thePodsFitWhereTheRealSchedulerBindsThem() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", GPU, 3));
    centre.racks.add(rack("c", CPU, 1));
    centre.quotas.add(quota(GPU, 3));
    centre.quotas.add(quota(CPU, 1));
    try (OperatedFleet fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre)) {
      pool(fleet, "sched-a", GPU, 2, "a", Optional.empty());
      pool(fleet, "sched-b", GPU, 1, "b", Optional.of("b"));
      pool(fleet, "sched-c", CPU, 1, "c", Optional.empty());
      List<String> differences = new ArrayList<>();
      int waiting = 0;
      for (int i = 0; i < SITUATIONS.size(); i++) {
        PodSpec spec = Serialization.unmarshal(SITUATIONS.get(i), PodSpec.class);
        Set<String> fitting = ModelScheduler.fitting(nodes(), pods(), spec);
        String bound = bound("situation-" + i, spec);
        waiting += bound.isEmpty() ? 1 : 0;
        if (bound.isEmpty() ? !fitting.isEmpty() : !fitting.contains(bound)) {
          differences.add(
              "%s: bound to \"%s\", fits on %s".formatted(SITUATIONS.get(i), bound, fitting));
        }
      }
      assertThat(differences).isEmpty();
      assertThat(waiting).isBetween(5, SITUATIONS.size() - 5);
    } finally {
      admin.pods().inNamespace("default").withGracePeriod(0).delete();
    }
  }

  @Test
  void theSamePodsEndForOthersOfHigherPriority() {
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", GPU, 2));
    centre.quotas.add(quota(GPU, 2));
    try (OperatedFleet fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre)) {
      pool(fleet, "sched-p", GPU, 2, "p", Optional.empty());
      List.of(10, 50, 100).forEach(this::priorityClass);
      List<String> names = nodes().stream().map(each -> each.getMetadata().getName()).toList();
      bound("low-1", pinned(4, 10, names.getFirst()));
      bound("low-2", pinned(4, 10, names.getFirst()));
      bound("mid-1", pinned(8, 50, names.getLast()));
      assertThat(ended("high-1", 4, 100)).contains("[low-");
      assertThat(ended("high-2", 8, 100)).endsWith("[mid-1]");
      // Nothing of lower priority gives it enough.
      PodSpec last = spec(8, 50);
      assertThat(ModelScheduler.ended(nodes(), pods(), last, 50)).isEqualTo("none");
      assertThat(bound("mid-2", last)).isEmpty();
    } finally {
      admin.pods().inNamespace("default").withGracePeriod(0).delete();
      admin.scheduling().v1().priorityClasses().withLabel("test", "preemption").delete();
    }
  }

  /** What ended for a Pod, as the model says before and the real scheduler does. */
  private String ended(String name, int gpus, int priority) {
    PodSpec spec = spec(gpus, priority);
    List<Pod> before = pods();
    String model = ModelScheduler.ended(nodes(), before, spec, priority);
    bound(name, spec);
    eventually(() ->
        assertThat(admin.pods().inNamespace("default").withName(name).require().getSpec())
            .extracting(PodSpec::getNodeName)
            .isNotNull());
    String node =
        admin.pods().inNamespace("default").withName(name).require().getSpec().getNodeName();
    // A Pod whose containers ended gives its room free before its kubelet deletes it.
    Set<String> left =
        pods().stream()
            .filter(each -> each.getMetadata().getDeletionTimestamp() == null)
            .map(each -> each.getMetadata().getName())
            .collect(Collectors.toSet());
    List<String> gone =
        before.stream()
            .map(each -> each.getMetadata().getName())
            .filter(each -> !left.contains(each))
            .sorted()
            .toList();
    // Pods of the same priority and second are equal.
    assertThat((node + " " + gone).replaceAll("low-[12]", "low-x"))
        .isEqualTo(model.replaceAll("low-[12]", "low-x"));
    return model;
  }

  private static PodSpec pinned(int gpus, int priority, String node) {
    PodSpec spec = spec(gpus, priority);
    spec.setNodeSelector(Map.of("kubernetes.io/hostname", node));
    return spec;
  }

  private static PodSpec spec(int gpus, int priority) {
    return Serialization.unmarshal(
        """
        priorityClassName: test-%d
        terminationGracePeriodSeconds: 1
        containers: [{name: a, image: a, resources: {limits: {nvidia.com/gpu: %d}}}]
        """
            .formatted(priority, gpus),
        PodSpec.class);
  }

  private void priorityClass(int value) {
    admin
        .resource(
            new PriorityClassBuilder()
                .withNewMetadata()
                .withName("test-" + value)
                .addToLabels("test", "preemption")
                .endMetadata()
                .withValue(value)
                .build())
        .create();
  }

  private void pool(
      OperatedFleet fleet,
      String name,
      String type,
      int nodes,
      String team,
      Optional<String> dedicated) {
    fleet
        .pool(name, type, nodes)
        .change(pool -> {
          pool.getSpec().nodeLabels.put("team", team);
          pool.getSpec().nodeLabels.put("generation", team.equals("a") ? "4" : "2");
          dedicated.ifPresent(value -> {
            NodeTaint taint = new NodeTaint();
            taint.key = "dedicated";
            taint.value = value;
            taint.effect = "NoSchedule";
            pool.getSpec().nodeTaints.add(taint);
          });
        })
        .isWell();
    eventually(() ->
        assertThat(nodes().stream().filter(node -> isLabelled(node, team)).toList())
            .hasSize(nodes)
            .allMatch(node ->
                dedicated.isEmpty()
                    || node.getSpec().getTaints().stream()
                        .anyMatch(taint -> taint.getKey().equals("dedicated"))));
  }

  private static boolean isLabelled(Node node, String team) {
    return team.equals(node.getMetadata().getLabels().get("team"));
  }

  private List<Node> nodes() {
    return admin.nodes().list().getItems();
  }

  private List<Pod> pods() {
    return admin.pods().inAnyNamespace().list().getItems();
  }

  /** Creates a Pod; the Node to which it is bound, or empty text once the scheduler found none. */
  private String bound(String name, PodSpec spec) {
    admin
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("default")
                .endMetadata()
                .withSpec(spec)
                .build())
        .create();
    eventually(() -> {
      Pod pod = admin.pods().inNamespace("default").withName(name).require();
      assertThat(pod.getSpec().getNodeName() != null || isUnschedulable(pod)).isTrue();
    });
    Pod pod = admin.pods().inNamespace("default").withName(name).require();
    return pod.getSpec().getNodeName() == null ? "" : pod.getSpec().getNodeName();
  }

  private static boolean isUnschedulable(Pod pod) {
    return pod.getStatus().getConditions().stream().anyMatch(DrillSchedulerIT::saysUnschedulable);
  }

  private static boolean saysUnschedulable(PodCondition condition) {
    return condition.getType().equals("PodScheduled")
        && condition.getStatus().equals("False")
        && "Unschedulable".equals(condition.getReason());
  }
}
