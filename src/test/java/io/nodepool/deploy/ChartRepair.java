package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.SimulatedFleet;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** A Node whose machine is repaired, and then verified by a Job, with the rights of the chart. */
final class ChartRepair {
  /** The Namespace of the Jobs. */
  static final String NAMESPACE = "nodepool-verification";

  private static final String TEMPLATE = "check";

  private static final String JOB =
      """
      apiVersion: batch/v1
      kind: Job
      spec:
        template:
          metadata:
            annotations: {fleet.nodepool.io/run-for: 1s, fleet.nodepool.io/exit-code: "0"}
          spec:
            containers: [{name: check, image: example.com/check}]
      """;

  private ChartRepair() {}

  /** Creates the Namespace, which the chart does not, and the template. */
  static void prepare(KubernetesClient admin) {
    Chart.createNamespace(admin, NAMESPACE);
    admin
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName(TEMPLATE)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withData(Map.of("job.yaml", JOB))
                .build())
        .create();
  }

  /**
   * A fault begins on a machine of a pool that a reboot heals, and a Job has to confirm that.
   *
   * @return its Node
   */
  static String begin(KubernetesClient admin, String pool) {
    admin
        .resources(NodePool.class)
        .withName(pool)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"metadata": {"annotations": {"nodepool.io/verification-job": "%s"}}}
            """
                .formatted(TEMPLATE));
    String node = admin.nodes().list().getItems().getLast().getMetadata().getName();
    admin
        .resources(SimulatedFleet.class)
        .withName("default")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"spec": {"mishaps": {"faults": [{"host": "%s", "alert": "GPUTimeoutError", "component": "gpu0",
              "at": "%s", "healedBy": "Reboot"}]}}}
            """
                .formatted(node, Instant.now().truncatedTo(ChronoUnit.SECONDS)));
    // From here on nothing is scheduled to it.
    await().atMost(Duration.ofMinutes(1)).until(() -> isCordoned(admin, node));
    return node;
  }

  private static boolean isCordoned(KubernetesClient admin, String node) {
    return Boolean.TRUE.equals(admin.nodes().withName(node).get().getSpec().getUnschedulable());
  }

  /** The Node is back, and the Job has confirmed that its machine is repaired. */
  static void end(KubernetesClient admin, String node, PodProcess operator) {
    await()
        .atMost(Duration.ofMinutes(3))
        .untilAsserted(() ->
            assertThat(admin.v1().events().inNamespace("default").list().getItems())
                .as(operator::log)
                .filteredOn(event -> event.getReason().equals("CWNodeRebooted"))
                .extracting(Event::getMessage)
                .anyMatch(text ->
                    text.startsWith("Node " + node)
                        && text.contains(", also by Job " + NAMESPACE + "/")));
    await().atMost(Duration.ofMinutes(1)).until(() -> !isCordoned(admin, node));
  }
}
