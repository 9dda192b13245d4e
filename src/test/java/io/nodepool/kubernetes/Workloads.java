package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.DaemonSetBuilder;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetList;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.model.node.Node;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The workloads of tenants on pools: built-in controllers of Kubernetes, and budgets. */
final class Workloads {
  static final String NAMESPACE = "default";

  /** Pods of one group never share a Node. */
  private static final String GROUP = "spread";

  private final KubernetesClient admin;

  Workloads(KubernetesClient admin) {
    this.admin = admin;
  }

  /**
   * Creates a Deployment on a pool. Its Pods share no Node with each other, or with Pods of other
   * such Deployments. Waits until its Nodes are active.
   *
   * @return names of the Nodes that its Pods run on, sorted
   */
  List<String> deployment(String app, String pool, int replicas) {
    admin
        .resource(
            new DeploymentBuilder()
                .withNewMetadata()
                .withName(app)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas)
                .withNewSelector()
                .withMatchLabels(Map.of("app", app))
                .endSelector()
                .withTemplate(spread(template(app, pool), pool))
                .endSpec()
                .build())
        .create();
    OperatedFleet.eventually(() -> {
      assertThat(running(app)).hasSize(replicas);
      assertThat(running(app)).allSatisfy(pod -> assertThat(isActive(node(pod))).isTrue());
    });
    return nodes(app);
  }

  /** Creates a DaemonSet, and waits until it runs on each Node of the pool. */
  void daemonSet(String app, String pool, int nodes) {
    admin
        .resource(
            new DaemonSetBuilder()
                .withNewMetadata()
                .withName(app)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withNewSelector()
                .withMatchLabels(Map.of("app", app))
                .endSelector()
                .withTemplate(template(app, pool))
                .endSpec()
                .build())
        .create();
    OperatedFleet.eventually(() -> assertThat(running(app)).hasSize(nodes));
  }

  /** Binds a Pod to a Node without the scheduler, which would respect its cordon. */
  void bind(String app, String node) {
    bind(app, node, 1);
  }

  /** The same for a Pod that takes this many seconds to end. */
  void bind(String app, String node, long graceSeconds) {
    bind(app, node, graceSeconds, Map.of());
  }

  /** The same for a Pod with these labels beside its own. */
  void bind(String app, String node, long graceSeconds, Map<String, String> labels) {
    admin
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(app)
                .withNamespace(NAMESPACE)
                .addToLabels(labels)
                .addToLabels("app", app)
                .endMetadata()
                .withNewSpec()
                .withNodeName(node)
                .withTerminationGracePeriodSeconds(graceSeconds)
                .addNewContainer()
                .withName("main")
                .withImage("registry.example/none")
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  /** Pods that end within a second, on Nodes of the pool. */
  private static PodTemplateSpec template(String app, String pool) {
    return new PodTemplateSpecBuilder()
        .withNewMetadata()
        .addToLabels("app", app)
        .endMetadata()
        .withNewSpec()
        .addToNodeSelector(NodeLabels.NODE_POOL.key(), pool)
        .withTerminationGracePeriodSeconds(1L)
        .addNewContainer()
        .withName("main")
        .withImage("registry.example/none")
        .endContainer()
        .endSpec()
        .build();
  }

  private static PodTemplateSpec spread(PodTemplateSpec template, String pool) {
    return new PodTemplateSpecBuilder(template)
        .editMetadata()
        .addToLabels(GROUP, pool)
        .endMetadata()
        .editSpec()
        .withNewAffinity()
        .withNewPodAntiAffinity()
        .addNewRequiredDuringSchedulingIgnoredDuringExecution()
        .withTopologyKey("kubernetes.io/hostname")
        .withNewLabelSelector()
        .withMatchLabels(Map.of(GROUP, pool))
        .endLabelSelector()
        .endRequiredDuringSchedulingIgnoredDuringExecution()
        .endPodAntiAffinity()
        .endAffinity()
        .endSpec()
        .build();
  }

  /** Sets the replicas of the Deployment. */
  void scale(String app, int replicas) {
    admin.apps().deployments().inNamespace(NAMESPACE).withName(app).scale(replicas);
  }

  /** Creates a budget for the app that never allows an eviction. */
  void neverEvict(String app) {
    admin
        .resource(
            new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withName(app + "-budget")
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withMaxUnavailable(new IntOrString(0))
                .withNewSelector()
                .withMatchLabels(Map.of("app", app))
                .endSelector()
                .endSpec()
                .build())
        .create();
    OperatedFleet.eventually(() -> {
      var status = budgets().withName(app + "-budget").require().getStatus();
      assertThat(status).isNotNull();
      assertThat(status.getExpectedPods()).isPositive();
    });
  }

  /** Deletes that budget. */
  void letEvict(String app) {
    budgets().withName(app + "-budget").delete();
  }

  private NonNamespaceOperation<
          PodDisruptionBudget, PodDisruptionBudgetList, Resource<PodDisruptionBudget>>
      budgets() {
    return admin.policy().v1().podDisruptionBudget().inNamespace(NAMESPACE);
  }

  /** The app's Pods. */
  List<Pod> pods(String app) {
    return admin.pods().inNamespace(NAMESPACE).withLabel("app", app).list().getItems();
  }

  /** The app's Pods that run and are not being deleted. */
  List<Pod> running(String app) {
    return pods(app).stream()
        .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .toList();
  }

  /** Names of the Nodes that its Pods run on, sorted. */
  List<String> nodes(String app) {
    return running(app).stream().map(Workloads::node).sorted().toList();
  }

  private static String node(Pod pod) {
    return pod.getSpec().getNodeName();
  }

  private boolean isActive(String node) {
    return Stream.ofNullable(admin.nodes().withName(node).get())
        .flatMap(object -> NodeConversion.node(object).stream())
        .flatMap(seen -> seen.activity().stream())
        .anyMatch(Node.Activity::active);
  }

  /** Reports this many volumes attached to a Node. */
  void attachVolumes(String node, int volumes) {
    String attached =
        IntStream.range(0, volumes)
            .mapToObj("{\"name\": \"example.com/volume-%d\", \"devicePath\": \"\"}"::formatted)
            .collect(Collectors.joining(",", "[", "]"));
    admin
        .nodes()
        .withName(node)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"status\": {\"volumesAttached\": %s}}".formatted(attached));
  }

  /** Removes all workloads. */
  void delete() {
    admin.apps().deployments().inNamespace(NAMESPACE).delete();
    admin.apps().daemonSets().inNamespace(NAMESPACE).delete();
    budgets().delete();
    admin.pods().inNamespace(NAMESPACE).withGracePeriod(0).delete();
  }
}
