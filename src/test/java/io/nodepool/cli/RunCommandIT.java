package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.cli.command.Crds;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@WithLocalCluster
class RunCommandIT {
  private static final String NAMESPACE = "run-command";
  private static final String LEASE = "nodepool-operator";

  @Test
  void aCommandWhoseLeadershipIsTakenEndsWithAnError(
      LocalCluster cluster, KubernetesClient admin, @TempDir Path folder) throws Exception {
    createNamespace(admin);
    Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig());
    Callable<Integer> command =
        () ->
            new CommandLine(new RunCommand())
                .execute(
                    "--kubeconfig=" + kubeconfig,
                    "--context=" + LocalCluster.NAME,
                    "--namespace=" + NAMESPACE,
                    "--metrics-port=0");
    FutureTask<Integer> code = new FutureTask<>(command);
    Thread.ofPlatform().daemon().start(code);
    Awaitility.await().until(() -> lease(admin) != null);
    admin
        .resources(Lease.class)
        .inNamespace(OperatorRuntime.LEASE_NAMESPACE)
        .withName(LEASE)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\":{\"holderIdentity\":\"somebody-else\"}}");

    assertThat(code.get(60, TimeUnit.SECONDS)).isEqualTo(1);
  }

  @Test
  void aProcessReleasesItsLeaseOnSigterm(
      LocalCluster cluster, KubernetesClient admin, @TempDir Path folder) throws Exception {
    createNamespace(admin);
    Crds.install(admin);
    Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), cluster.kubeconfig());
    int port = freePort();
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "run",
                "--kubeconfig=" + kubeconfig,
                "--namespace=" + NAMESPACE,
                "--metrics-port=" + port)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    try {
      Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> isPlanning(port));
      assertThat(isHeld(admin)).isTrue();

      // SIGTERM.
      process.destroy();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(isHeld(admin)).isFalse();
    } finally {
      process.destroyForcibly();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static boolean isPlanning(int port) {
    try (InputStream metrics =
        URI.create("http://127.0.0.1:%d/metrics".formatted(port)).toURL().openStream()) {
      return new String(metrics.readAllBytes(), StandardCharsets.UTF_8)
          .contains("\nnodepool_planning 1.0\n");
    } catch (IOException e) {
      return false;
    }
  }

  private static void createNamespace(KubernetesClient admin) {
    admin
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .serverSideApply();
    admin
        .resources(Lease.class)
        .inNamespace(OperatorRuntime.LEASE_NAMESPACE)
        .withName(LEASE)
        .delete();
  }

  /** A released Lease has no holder. */
  private static boolean isHeld(KubernetesClient admin) {
    Lease lease = lease(admin);
    return lease != null && lease.getSpec().getHolderIdentity() != null;
  }

  private static @Nullable Lease lease(KubernetesClient admin) {
    return admin
        .resources(Lease.class)
        .inNamespace(OperatorRuntime.LEASE_NAMESPACE)
        .withName(LEASE)
        .get();
  }
}
