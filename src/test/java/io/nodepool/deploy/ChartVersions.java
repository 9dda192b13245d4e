package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.Release;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FieldValidateable;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.local.LocalCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

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

  /** {@code helm test}, with this machine in place of the kubelet that runs its Pod. */
  static void passesItsTest(
      LocalCluster cluster, KubernetesClient admin, Path kubeconfig, Path folder, PodImage image)
      throws Exception {
    CompletableFuture<Release> test =
        CompletableFuture.supplyAsync(
            () ->
                Helm.test(Chart.RELEASE)
                    .withNamespace(Chart.NAMESPACE)
                    .withKubeConfig(kubeconfig)
                    .withTimeout(60)
                    .call(),
            // It blocks, and the client needs the threads that others share.
            helm -> Thread.ofPlatform().name("helm").daemon().start(helm));
    PodResource pod = admin.pods().inNamespace(Chart.NAMESPACE).withName(Chart.RELEASE + "-test");
    await().atMost(Duration.ofSeconds(30)).until(() -> pod.get() != null);
    Path own = Files.createDirectories(folder.resolve("test"));
    try (PodProcess process =
        PodProcess.start(cluster, admin, pod.require().getSpec(), own, image)) {
      assertThat(process.exitCode()).as(process::log).isZero();
    }
    pod.subresource("status")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\": {\"phase\": \"Succeeded\"}}");
    assertThat(test.get(60, TimeUnit.SECONDS).getStatus()).isEqualTo("deployed");
  }

  /** As docs/install.md says, for those who applied deploy/admission.yaml before the chart. */
  static void adoptAdmission(KubernetesClient admin) throws IOException {
    String manifest = Files.readString(Path.of("deploy", "admission.yaml"));
    for (JsonNode object : Chart.parse(manifest)) {
      admin.resource(object.toString()).create();
      admin
          .resource(object.toString())
          .edit(created -> {
            ObjectMeta metadata = created.getMetadata();
            metadata.setLabels(
                with(metadata.getLabels(), Map.of("app.kubernetes.io/managed-by", "Helm")));
            metadata.setAnnotations(
                with(
                    metadata.getAnnotations(),
                    Map.of(
                        "meta.helm.sh/release-name", Chart.RELEASE,
                        "meta.helm.sh/release-namespace", Chart.NAMESPACE)));
            return created;
          });
    }
  }

  private static Map<String, String> with(
      @Nullable Map<String, String> given, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(given == null ? Map.of() : given);
    all.putAll(more);
    return all;
  }
}
