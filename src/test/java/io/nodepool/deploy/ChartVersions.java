package io.nodepool.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.Release;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** An earlier version of the chart, its upgrade, and the sets of values by which it is tried. */
final class ChartVersions {
  private ChartVersions() {}

  /** Kinds that the Prometheus Operator defines. */
  private static final Set<String> MONITORING =
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
            .set("monitoring.tls.secret", ChartAlerts.TLS_SECRET)
            .call();
    assertThat(release.getStatus()).isEqualTo("deployed");
    assertThat(release.getRevision()).isEqualTo("2");
  }

  /** The API server would accept each object that the chart makes of each set of values. */
  static void everySetOfValuesIsAccepted(KubernetesClient admin) throws IOException {
    accepted(admin, kind -> !MONITORING.contains(kind));
  }

  /** So does one with the definitions of the Prometheus Operator. Returns how many there are. */
  static int everyMonitorIsAccepted(KubernetesClient admin) throws IOException {
    return accepted(admin, MONITORING::contains);
  }

  private static int accepted(KubernetesClient admin, Predicate<String> kinds) throws IOException {
    int count = 0;
    for (Path values : Chart.valueSets()) {
      for (JsonNode object : Chart.render(Files.readString(values)).objects()) {
        if (kinds.test(object.path("kind").asText())) {
          count++;
          if (object.path("kind").asText().equals("PriorityClass")) {
            // The value of the one that is installed cannot be changed: this would be another one.
            ((ObjectNode) object.path("metadata")).put("name", "interruptible-of-other-values");
          }
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
    return count;
  }

  /**
   * {@code helm test}, with this machine in place of the kubelet that runs its Pod: once it fails,
   * and its Pod stays until the next test, which succeeds and leaves none.
   */
  static void passesItsTest(
      LocalCluster cluster, KubernetesClient admin, Path kubeconfig, Path folder, PodImage image)
      throws Exception {
    PodResource pod = admin.pods().inNamespace(Chart.NAMESPACE).withName(Chart.RELEASE + "-test");
    CompletableFuture<Release> failing = test(kubeconfig);
    await().atMost(Duration.ofSeconds(30)).until(() -> pod.get() != null);
    String failed = pod.require().getMetadata().getUid();
    ends(pod, "Failed");
    assertThatThrownBy(() -> failing.get(60, TimeUnit.SECONDS))
        .hasMessageContaining("-test failed");
    assertThat(pod.require().getMetadata().getUid()).isEqualTo(failed);

    CompletableFuture<Release> test = test(kubeconfig);
    await()
        .atMost(Duration.ofSeconds(30))
        // Helm deletes the one before.
        .until(() ->
            Optional.ofNullable(pod.get())
                .filter(each -> !each.getMetadata().getUid().equals(failed))
                .isPresent());
    PodSpec operator =
        admin
            .apps()
            .deployments()
            .inNamespace(Chart.NAMESPACE)
            .withName(Chart.RELEASE)
            .require()
            .getSpec()
            .getTemplate()
            .getSpec();
    assertThat(pod.require().getSpec().getSecurityContext())
        .isEqualTo(operator.getSecurityContext());
    assertThat(pod.require().getSpec().getContainers().getFirst().getSecurityContext())
        .isEqualTo(operator.getContainers().getFirst().getSecurityContext());
    Path own = Files.createDirectories(folder.resolve("test"));
    try (PodProcess process =
        PodProcess.start(cluster, admin, pod.require().getSpec(), own, image)) {
      assertThat(process.exitCode()).as(process::log).isZero();
    }
    ends(pod, "Succeeded");
    assertThat(test.get(60, TimeUnit.SECONDS).getStatus()).isEqualTo("deployed");
    await().atMost(Duration.ofSeconds(30)).until(() -> pod.get() == null);
  }

  private static CompletableFuture<Release> test(Path kubeconfig) {
    return CompletableFuture.supplyAsync(
        () ->
            Helm.test(Chart.RELEASE)
                .withNamespace(Chart.NAMESPACE)
                .withKubeConfig(kubeconfig)
                .withTimeout(60)
                .call(),
        // It blocks, and the client needs the threads that others share.
        helm -> Thread.ofPlatform().name("helm").daemon().start(helm));
  }

  private static void ends(PodResource pod, String phase) {
    pod.subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"status\": {\"phase\": \"%s\"}}".formatted(phase));
  }

  /**
   * As docs/install.md says, for those who upgrade the CRDs with Helm too: the chart takes over
   * those that exist, changes them, and leaves them when it goes.
   */
  static void upgradesTheCrdsAsAChart(KubernetesClient admin, Path kubeconfig) {
    String release = "nodepool-crds";
    String kind = "hosts.fleet.nodepool.io";
    admin
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .list()
        .getItems()
        .forEach(each -> admin.resource(each).edit(created -> owned(created, release)));
    admin
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .withName(kind)
        .edit(definition -> {
          definition.getSpec().getNames().setCategories(List.of());
          return definition;
        });
    assertThat(
            new Helm(Chart.CRDS)
                .upgrade()
                .install()
                .withName(release)
                .withNamespace(Chart.NAMESPACE)
                .withKubeConfig(kubeconfig)
                .call()
                .getStatus())
        .isEqualTo("deployed");
    CustomResourceDefinition upgraded =
        admin.apiextensions().v1().customResourceDefinitions().withName(kind).get();
    assertThat(upgraded.getSpec().getNames().getCategories()).isNotEmpty();
    Helm.uninstall(release).withNamespace(Chart.NAMESPACE).withKubeConfig(kubeconfig).call();
    assertThat(admin.apiextensions().v1().customResourceDefinitions().withName(kind).get())
        .isNotNull();
  }

  private static <T extends HasMetadata> T owned(T object, String release) {
    ObjectMeta metadata = object.getMetadata();
    metadata.setLabels(with(metadata.getLabels(), Map.of("app.kubernetes.io/managed-by", "Helm")));
    metadata.setAnnotations(
        with(
            metadata.getAnnotations(),
            Map.of(
                "meta.helm.sh/release-name",
                release,
                "meta.helm.sh/release-namespace",
                Chart.NAMESPACE)));
    return object;
  }

  private static Map<String, String> with(
      @Nullable Map<String, String> given, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(given == null ? Map.of() : given);
    all.putAll(more);
    return all;
  }
}
