package io.nodepool.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.Release;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.cli.input.Manifests;
import io.nodepool.deploy.Chart;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.local.LocalClusterExtension;
import io.nodepool.local.LocalClusterOptions;
import io.nodepool.vocabulary.metadata.KeyExceptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The chart is installed in a cluster that {@code dev} has used, as docs/install.md says for those
 * whose Helm has no option to take objects over.
 */
@Tag("local-cluster")
class HandOverIT {
  private static final Path POLICIES = Path.of("deploy", "admission.yaml");
  private static final Path INTERRUPTIBLE = Path.of("deploy", "interruptible-priority.yaml");
  private static final Path FLEET = Path.of("deploy", "data-centre.yaml");

  private static final String OWNED =
      """
      {"metadata": {"labels": {"app.kubernetes.io/managed-by": "Helm"},
        "annotations": {"meta.helm.sh/release-name": "%s", "meta.helm.sh/release-namespace": "%s"}}}
      """
          .formatted(Chart.RELEASE, Chart.NAMESPACE);

  @Test
  void theChartTakesOverWhatDevHasInstalled(@TempDir Path folder) throws IOException {
    LocalClusterOptions options = LocalClusterOptions.standard(System.err::println);
    try (DevCluster cluster = DevCluster.start(options.binaries(), _ -> {});
        KubernetesClient admin = LocalClusterExtension.client(cluster.kubeconfig().orElseThrow())) {
      Path kubeconfig =
          Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig().orElseThrow());
      cluster.install(KeyExceptions.NONE);
      Manifests.read(FLEET, "fleet.nodepool.io/v1alpha1", "SimulatedFleet").forEach(cluster::apply);
      List<JsonNode> left =
          Stream.of(POLICIES, INTERRUPTIBLE, FLEET)
              .flatMap(file -> Chart.parse(text(file)).stream())
              .toList();

      assertThatThrownBy(() -> install(kubeconfig)).hasMessageContaining("cannot be imported");
      for (String dev : List.of("nodepool-operator", "nodepool-data-centre")) {
        admin.rbac().clusterRoleBindings().withName(dev).delete();
      }
      PatchContext merge = PatchContext.of(PatchType.JSON_MERGE);
      admin.scheduling().v1().priorityClasses().withName("cw-hpc-verification").patch(merge, OWNED);
      left.forEach(object -> admin.resource(object.toString()).patch(merge, OWNED));

      assertThat(install(kubeconfig).getStatus()).isEqualTo("deployed");
      assertThat(admin.rbac().clusterRoleBindings().withName(Chart.RELEASE).get().getRoleRef())
          .satisfies(role -> assertThat(role.getName()).isEqualTo(Chart.RELEASE));
      Helm.uninstall(Chart.RELEASE)
          .withNamespace(Chart.NAMESPACE)
          .withKubeConfig(kubeconfig)
          .call();
      assertThat(left).allMatch(object -> admin.resource(object.toString()).get() == null);
      assertThat(admin.resources(SimulatedFleet.class).list().getItems()).isEmpty();
    }
  }

  private static Release install(Path kubeconfig) {
    return Chart.install(Chart.FOLDER, "dataCentre: {enabled: true}", kubeconfig);
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
