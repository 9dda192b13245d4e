package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.local.LocalCluster;
import io.nodepool.local.WithLocalCluster;
import java.nio.file.Files;
import java.nio.file.Path;
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
    admin
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .serverSideApply();
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
        .inNamespace(NAMESPACE)
        .withName(LEASE)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\":{\"holderIdentity\":\"somebody-else\"}}");

    assertThat(code.get(60, TimeUnit.SECONDS)).isEqualTo(1);
  }

  private static @Nullable Lease lease(KubernetesClient admin) {
    return admin.resources(Lease.class).inNamespace(NAMESPACE).withName(LEASE).get();
  }
}
