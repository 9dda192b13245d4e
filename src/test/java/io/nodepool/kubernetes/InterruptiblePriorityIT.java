package io.nodepool.kubernetes;

import static io.nodepool.kubernetes.OperatedFleet.eventually;
import static io.nodepool.kubernetes.OperatedFleet.quota;
import static io.nodepool.kubernetes.OperatedFleet.rack;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.nodepool.deploy.Chart;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.LocalClusterExtension;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.plan.PlanSettings;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The chart's priority of interruptible Pods, with the real scheduler. */
@Tag("local-cluster")
class InterruptiblePriorityIT {
  private static final String TYPE = "gd-8xh100ib-i128";
  private static final Map<String, String> INTERRUPTIBLE =
      Map.of("qos.coreweave.cloud/interruptable", "true");

  private LocalCluster cluster;
  private KubernetesClient admin;
  private OperatedFleet fleet;

  @BeforeEach
  void start() {
    // A cluster of its own, since policies would change the Pods of other tests.
    cluster = LocalCluster.start(LocalClusterOptions.standard(System.err::println));
    admin = LocalClusterExtension.client(cluster.kubeconfig());
    Chart.render("admission: {interruptiblePriority: {enabled: true}}").objects().stream()
        .filter(object ->
            object.at("/metadata/name").asText().startsWith("nodepool-operator-interruptible"))
        .map(JsonNode::toString)
        .forEach(object -> admin.resource(object).create());
    SimulatedFleetSpec centre = OperatedFleet.centre();
    centre.racks.add(rack("a", TYPE, 2));
    centre.quotas.add(quota(TYPE, 2));
    fleet = new OperatedFleet(cluster, admin, PlanSettings.DEFAULTS, centre);
    fleet.pool("train", TYPE, 2).isWell();
    // A policy takes effect shortly after it is stored.
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptionsInstanceOf(KubernetesClientException.class)
        .until(() ->
            priority(admin.resource(pod("probe", INTERRUPTIBLE)).dryRun(true).create()) == -10);
  }

  @AfterEach
  void end() {
    fleet.close();
    admin.close();
    cluster.close();
  }

  private static int priority(Pod pod) {
    return pod.getSpec().getPriority();
  }

  private static Pod pod(String name, Map<String, String> labels) {
    return new PodBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace("default")
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withTerminationGracePeriodSeconds(1L)
        .addNewContainer()
        .withName("main")
        .withImage("example.com/train:1")
        .withNewResources()
        .addToRequests("nvidia.com/gpu", new Quantity("8"))
        .addToLimits("nvidia.com/gpu", new Quantity("8"))
        .endResources()
        .endContainer()
        .endSpec()
        .build();
  }

  private void run(String name, Map<String, String> labels) {
    admin.resource(pod(name, labels)).create();
    eventually(() -> assertThat(nodeOf(name)).isNotEmpty());
  }

  private String nodeOf(String name) {
    Pod pod = admin.pods().inNamespace("default").withName(name).require();
    return pod.getSpec().getNodeName() == null ? "" : pod.getSpec().getNodeName();
  }

  private boolean exists(String name) {
    return admin.pods().inNamespace("default").withName(name).get() != null;
  }

  @Test
  void aPendingTrainingPodTakesThePlaceOfOneInterruptiblePod() {
    run("cheap-0", INTERRUPTIBLE);
    run("cheap-1", INTERRUPTIBLE);

    run("train", Map.of());

    eventually(() -> assertThat(Stream.of("cheap-0", "cheap-1").filter(this::exists)).hasSize(1));
    assertThat(priority(admin.pods().inNamespace("default").withName("train").require())).isZero();
  }

  @Test
  void withoutTheLabelNonePreempts() {
    run("work-0", Map.of());
    run("work-1", Map.of());

    admin.resource(pod("train", Map.of())).create();

    await()
        .during(Duration.ofSeconds(8))
        .atMost(Duration.ofSeconds(20))
        .until(() -> exists("work-0") && exists("work-1") && nodeOf("train").isEmpty());
  }
}
