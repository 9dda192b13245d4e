package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.nodepool.cli.input.Admission;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.client.WriteGate;
import java.io.InputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.awaitility.Awaitility;

/**
 * The operator's account under the policies that restrict it, on a cluster without other policies:
 * what passes here is not refused to an operator that the chart installs.
 */
final class OperatorAccount {
  private static final String PROBE = "operator-account-probe";

  /** Addresses of the clusters on which the policies are in force. */
  private static final Set<String> NARROWED = ConcurrentHashMap.newKeySet();

  private OperatorAccount() {}

  /** The operator's configuration for a cluster, once the policies are in force there. */
  static Config config(Config config, KubernetesClient admin) {
    Config operator =
        new ConfigBuilder(config)
            .withImpersonateUsername(Admission.OPERATOR)
            .withImpersonateGroups("system:masters")
            .build();
    if (NARROWED.add(config.getMasterUrl())) {
      narrow(admin, operator);
    }
    return operator;
  }

  private static void narrow(KubernetesClient admin, Config operator) {
    InputStream policies =
        Objects.requireNonNull(Admission.class.getResourceAsStream("/deploy/admission.yaml"));
    admin.load(policies).items().stream()
        .filter(policy -> policy.getMetadata().getName().contains("-account-"))
        .forEach(policy -> admin.resource(policy).serverSideApply());
    HasMetadata probe =
        admin
            .resource(
                new NamespaceBuilder().withNewMetadata().withName(PROBE).endMetadata().build())
            .serverSideApply();
    try (KubernetesClient client = new KubernetesClientBuilder().withConfig(operator).build()) {
      ApiRequests requests = new ApiRequests(client, WriteGate.ALWAYS_OPEN);
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(() ->
              assertThat(
                      requests.patch(
                          ApiPaths.namespace(PROBE) + "?dryRun=All",
                          ApiRequests.PatchType.MERGE,
                          "{\"metadata\": {\"annotations\": {\"a\": \"b\"}}}"))
                  .isInstanceOf(Reply.Rejected.class));
    }
    admin.resource(probe).delete();
  }
}
