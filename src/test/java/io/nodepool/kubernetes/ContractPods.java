package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.kubernetes.convert.pod.PodConversion;
import io.nodepool.model.node.Pod;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;

/** Pods that the contract suite binds to Nodes, and their budgets. */
final class ContractPods {
  private static final String NAMESPACE = "default";
  private static final Duration SOON = Duration.ofSeconds(30);

  /** Longer than any test takes, since no kubelet ends these Pods. */
  private static final long GRACE_SECONDS = 3600;

  private final KubernetesClient admin;

  ContractPods(KubernetesClient admin) {
    this.admin = admin;
  }

  /** Creates a Pod that runs, is ready and tolerates every taint. */
  Pod create(String name, String node) {
    admin
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(NAMESPACE)
                .addToLabels("app", name)
                .endMetadata()
                .withNewSpec()
                .withNodeName(node)
                .withTerminationGracePeriodSeconds(GRACE_SECONDS)
                .addNewToleration()
                .withOperator("Exists")
                .endToleration()
                .addNewContainer()
                .withName("main")
                .withImage("registry.example/none")
                .endContainer()
                .endSpec()
                .build())
        .create();
    report(name, "Running");
    return live(name).orElseThrow();
  }

  private void report(String name, String phase) {
    admin
        .pods()
        .inNamespace(NAMESPACE)
        .withName(name)
        .editStatus(pod ->
            new PodBuilder(pod)
                .editOrNewStatus()
                .withPhase(phase)
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build());
  }

  void finish(Pod pod) {
    report(pod.name(), "Succeeded");
  }

  /** Creates a budget that allows no eviction, and waits until the cluster has computed that. */
  String guard(Pod pod) {
    return guard(pod, "budget-of-" + pod.name());
  }

  /** The same with a given name: a Pod may have several budgets. */
  String guard(Pod pod, String name) {
    admin
        .resource(
            new PodDisruptionBudgetBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withNewSpec()
                .withMinAvailable(new IntOrString(1))
                .withNewSelector()
                .withMatchLabels(Map.of("app", pod.name()))
                .endSelector()
                .endSpec()
                .build())
        .create();
    Awaitility.await()
        .atMost(SOON)
        .untilAsserted(() -> {
          var status =
              admin
                  .policy()
                  .v1()
                  .podDisruptionBudget()
                  .inNamespace(NAMESPACE)
                  .withName(name)
                  .require()
                  .getStatus();
          assertThat(status).isNotNull();
          assertThat(status.getCurrentHealthy()).isEqualTo(1);
          assertThat(status.getDisruptionsAllowed()).isZero();
        });
    return name;
  }

  Optional<Pod> live(Pod pod) {
    return live(pod.name()).filter(found -> found.uid().equals(pod.uid()));
  }

  boolean isDisrupted(Pod pod) {
    return admin
        .pods()
        .inNamespace(NAMESPACE)
        .withName(pod.name())
        .require()
        .getStatus()
        .getConditions()
        .stream()
        .anyMatch(
            each -> each.getType().equals("DisruptionTarget") && each.getStatus().equals("True"));
  }

  private Optional<Pod> live(String name) {
    return Optional.ofNullable(admin.pods().inNamespace(NAMESPACE).withName(name).get())
        .flatMap(PodConversion::pod);
  }

  void delete() {
    admin.policy().v1().podDisruptionBudget().inNamespace(NAMESPACE).delete();
    admin.pods().inNamespace(NAMESPACE).withGracePeriod(0).delete();
  }
}
