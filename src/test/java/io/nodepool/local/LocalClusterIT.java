package io.nodepool.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.nodepool.local.programs.ControlPlaneModules;
import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithLocalCluster
class LocalClusterIT {

  @Test
  void theServerReportsTheVersionThatTheModuleRequires(KubernetesClient client) {
    assertThat(client.getKubernetesVersion().getGitVersion())
        .isEqualTo(ControlPlaneModules.kubernetesVersion());
  }

  @Test
  void theContextOfTheKubeconfigIsNamedAfterTheCluster(KubernetesClient client) {
    assertThat(client.getConfiguration().getCurrentContext().getName()).isEqualTo("nodepool-dev");
    assertThat(client.getConfiguration().isTrustCerts()).isFalse();
  }

  @Test
  void aDeploymentsPodIsCreatedAndFindsNoNode(KubernetesClient client) {
    client
        .resource(
            new DeploymentBuilder()
                .withNewMetadata()
                .withName("waits-for-a-node")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withReplicas(1)
                .withNewSelector()
                .addToMatchLabels("app", "waits-for-a-node")
                .endSelector()
                .withNewTemplate()
                .withNewMetadata()
                .addToLabels("app", "waits-for-a-node")
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("registry.example/none")
                .endContainer()
                .endSpec()
                .endTemplate()
                .endSpec()
                .build())
        .create();
    try {
      // The scheduler has observed the Pod, and no Node fits.
      await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() ->
              assertThat(podsOf(client, "waits-for-a-node"))
                  .singleElement()
                  .satisfies(pod -> {
                    assertThat(pod.getStatus().getPhase()).isEqualTo("Pending");
                    assertThat(pod.getStatus().getConditions())
                        .anyMatch(c -> "Unschedulable".equals(c.getReason()));
                  }));
    } finally {
      client.apps().deployments().inNamespace("default").withName("waits-for-a-node").delete();
    }
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(podsOf(client, "waits-for-a-node")).isEmpty());
  }

  @Test
  void aServiceAccountWithoutRightsIsKnownButRefused(LocalCluster cluster, KubernetesClient admin) {
    TokenRequest request =
        admin
            .serviceAccounts()
            .inNamespace("default")
            .withName("default")
            .tokenRequest(new TokenRequestBuilder().withNewSpec().endSpec().build());
    Config config = Config.fromKubeconfig(cluster.kubeconfig());
    config.setAutoOAuthToken(request.getStatus().getToken());
    config.setOauthToken(request.getStatus().getToken());
    config.setRequestRetryBackoffLimit(0);
    try (KubernetesClient restricted = new KubernetesClientBuilder().withConfig(config).build()) {
      assertThatThrownBy(() -> restricted.nodes().list())
          .isInstanceOfSatisfying(
              KubernetesClientException.class,
              refusal -> {
                assertThat(refusal.getCode()).isEqualTo(403);
                assertThat(refusal.getMessage()).contains("system:serviceaccount:default:default");
              });
    }
  }

  @Test
  void theApiServerOffersMutationByPolicy(KubernetesClient client) {
    assertThat(client.getApiGroup("admissionregistration.k8s.io").getVersions())
        .anyMatch(version -> version.getVersion().equals("v1beta1"));
  }

  @Test
  void aSecondClusterIsIndependentAndLeavesNothingBehind(
      LocalCluster first, KubernetesClient firstClient, @TempDir Path parent) {
    List<Long> pids;
    try (LocalCluster second =
        LocalCluster.start(LocalClusterOptions.standard(System.err::println).withParent(parent))) {
      pids = second.pids();
      assertThat(second.url()).isNotEqualTo(first.url());
      assertThat(second.adminToken()).isNotEqualTo(first.adminToken());
      try (KubernetesClient client = LocalClusterExtension.client(second.kubeconfig())) {
        assertThat(uidOfDefaultNamespace(client)).isNotEqualTo(uidOfDefaultNamespace(firstClient));
      }
      assertThat(pids).hasSize(4).allMatch(LocalClusterIT::isAlive);
    }
    assertThat(pids).noneMatch(LocalClusterIT::isAlive);
    assertThat(parent).isEmptyDirectory();
  }

  @Test
  void keptLogsOutliveTheClusterAndItsSecretsDoNot(@TempDir Path parent) throws Exception {
    Path logs;
    try (LocalCluster cluster =
        LocalCluster.start(
            LocalClusterOptions.standard(System.err::println)
                .withParent(parent)
                .withKeepLogs(true))) {
      logs = cluster.logDirectory();
    }
    try (var left = Files.walk(parent)) {
      assertThat(left.filter(Files::isRegularFile))
          .containsExactlyInAnyOrder(
              logs.resolve("etcd.log"),
              logs.resolve("kube-apiserver.log"),
              logs.resolve("kube-controller-manager.log"),
              logs.resolve("kube-scheduler.log"));
    }
  }

  @Test
  void anInterruptAtTheTerminalDoesNotReachThePrograms(LocalCluster cluster) throws Exception {
    for (long pid : cluster.pids()) {
      assertThat(processGroup(pid)).isNotEqualTo(processGroup(ProcessHandle.current().pid()));
    }
  }

  private static String uidOfDefaultNamespace(KubernetesClient client) {
    return client.namespaces().withName("default").get().getMetadata().getUid();
  }

  private static List<Pod> podsOf(KubernetesClient client, String app) {
    return client.pods().inNamespace("default").withLabel("app", app).list().getItems();
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
  }

  private static String processGroup(long pid) throws Exception {
    Process ps = new ProcessBuilder("ps", "-o", "pgid=", "-p", Long.toString(pid)).start();
    try (BufferedReader lines = ps.inputReader()) {
      return lines.readLine().strip();
    }
  }
}
