package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.Release;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FieldValidateable;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Stream;

/** An earlier version of the chart, its upgrade, and the sets of values by which it is tried. */
final class ChartVersions {
  private ChartVersions() {}

  /** Kinds that the Prometheus Operator defines. */
  private static final Set<String> NOT_SERVED =
      Set.of("ServiceMonitor", "PodMonitor", "PrometheusRule");

  /** The chart of an earlier version, before some of the present values existed. */
  static Path earlier(Path folder) throws IOException {
    return Files.copy(
        Path.of("src", "test", "resources", "chart", "earlier.tgz"), folder.resolve("earlier.tgz"));
  }

  /** As docs/install.md says: the CRDs first, and the values stay. */
  static void upgrade(KubernetesClient admin, Path kubeconfig) throws IOException {
    try (Stream<Path> crds = Files.list(Path.of("crds"))) {
      for (Path crd : crds.sorted().toList()) {
        admin
            .resource(Files.readString(crd))
            .patch(
                new PatchContext.Builder()
                    .withPatchType(PatchType.SERVER_SIDE_APPLY)
                    .withFieldManager("kubectl")
                    .withForce(true)
                    .build());
      }
    }
    Release release =
        new Helm(Chart.FOLDER)
            .upgrade()
            .withName(Chart.RELEASE)
            .withNamespace(Chart.NAMESPACE)
            .withKubeConfig(kubeconfig)
            .reuseValues()
            .set("operator.verification.namespace", ChartRepair.NAMESPACE)
            .call();
    assertThat(release.getStatus()).isEqualTo("deployed");
    assertThat(release.getRevision()).isEqualTo("2");
  }

  /** The API server would accept each object that the chart makes of each set of values. */
  static void everySetOfValuesIsAccepted(KubernetesClient admin) throws IOException {
    for (Path values : Chart.valueSets()) {
      for (JsonNode object : Chart.render(Files.readString(values)).objects()) {
        if (!NOT_SERVED.contains(object.path("kind").asText())) {
          assertThatCode(() ->
                  admin
                      .resource(object.toString())
                      .dryRun()
                      .fieldValidation(FieldValidateable.Validation.STRICT)
                      .forceConflicts()
                      .serverSideApply())
              .as("%s: %s", values, object)
              .doesNotThrowAnyException();
        }
      }
    }
  }
}
