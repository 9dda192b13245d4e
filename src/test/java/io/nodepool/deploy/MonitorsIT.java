package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable;
import io.nodepool.local.InstalledControlPlane;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.LocalClusterExtension;
import io.nodepool.local.LocalClusterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The chart's monitors and rules on an API server that has the definitions of the Prometheus
 * Operator. {@code .ci/monitoring} puts them where this test finds them.
 */
@Tag("monitoring")
@ExtendWith(InstalledControlPlane.class)
class MonitorsIT {
  private static final Path DEFINITIONS = Path.of("target", "monitoring", "definitions");
  private static final String VALUES =
      """
      monitoring:
        service: {enabled: true}
        serviceMonitor: {enabled: true}
        podMonitor: {enabled: true}
        rules: {enabled: true}
      """;

  @Test
  void theyAreValid() throws IOException {
    LocalClusterOptions options = LocalClusterOptions.standard(System.err::println);
    try (LocalCluster cluster = LocalCluster.start(options);
        KubernetesClient admin = LocalClusterExtension.client(cluster.kubeconfig())) {
      define(admin);
      Chart.createNamespace(admin, Chart.NAMESPACE);

      assertThat(ChartVersions.everyMonitorIsAccepted(admin)).isGreaterThanOrEqualTo(3);

      List<JsonNode> objects =
          Chart.render(VALUES).objects().stream()
              .filter(
                  object -> object.path("apiVersion").asText().startsWith("monitoring.coreos.com/"))
              .toList();
      assertThat(objects)
          .extracting(object -> object.path("kind").asText())
          .containsExactlyInAnyOrder("ServiceMonitor", "PodMonitor", "PrometheusRule");
      // A check that accepts everything would show nothing.
      for (JsonNode object : objects) {
        ObjectNode wrong = object.deepCopy();
        ((ObjectNode) wrong.get("spec")).put("notAField", true);
        assertThatThrownBy(() ->
                admin
                    .resource(wrong.toString())
                    .dryRun()
                    .fieldValidation(FieldValidateable.Validation.STRICT)
                    .serverSideApply())
            .isInstanceOf(KubernetesClientException.class)
            .hasMessageContaining("notAField");
      }
    }
  }

  private static void define(KubernetesClient admin) throws IOException {
    List<Path> files;
    try (Stream<Path> found = Files.list(DEFINITIONS)) {
      files = found.sorted().toList();
    }
    assertThat(files).hasSize(3);
    for (Path file : files) {
      admin.resource(Files.readString(file)).serverSideApply();
    }
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() ->
            admin.apiextensions().v1().customResourceDefinitions().list().getItems().stream()
                    .filter(MonitorsIT::isServed)
                    .count()
                == 3);
  }

  private static boolean isServed(CustomResourceDefinition definition) {
    return definition.getStatus().getConditions().stream()
        .anyMatch(condition ->
            condition.getType().equals("Established") && condition.getStatus().equals("True"));
  }
}
