package io.nodepool.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.convert.PoolConversion;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientsTest {
  private static KubernetesClient client() {
    return Clients.forRequests(
        new ConfigBuilder().withAutoConfigure(false).withMasterUrl("http://127.0.0.1:1").build(),
        new RequestMeter(new SimpleMeterRegistry()));
  }

  @Test
  void managedFieldsAreIgnored() {
    try (KubernetesClient client = client()) {
      Node node =
          client
              .getKubernetesSerialization()
              .unmarshal(
                  """
                  {"apiVersion": "v1", "kind": "Node", "metadata": {
                    "name": "n",
                    "managedFields": [{"manager": "m", "fieldsV1": {"f:metadata": {"f:labels": {}}}}],
                    "uid": "u"}}
                  """,
                  Node.class);

      assertThat(node.getMetadata().getManagedFields()).isEmpty();
      assertThat(node.getMetadata().getUid()).isEqualTo("u");
      assertThat(node.getMetadata().getAdditionalProperties()).isEmpty();
    }
  }

  @Test
  void aCommandWaitsForAConnectionAsLongAsForAnAnswer() {
    Config config = new ConfigBuilder().withAutoConfigure(false).build();

    assertThat(Clients.once(config, Duration.ofSeconds(30), Duration.ofSeconds(30)))
        .returns(30_000, Config::getConnectionTimeout)
        .returns(30_000, Config::getRequestTimeout);
  }

  @Test
  void customResourcesAreParsedDirectly() {
    try (KubernetesClient client = client()) {
      assertThat(
              client
                  .getKubernetesSerialization()
                  .getRegisteredKubernetesResource("fleet.nodepool.io/v1alpha1", "Host"))
          .isEqualTo(HostResource.class);
    }
  }

  @Test
  void aHostWithAnUnknownValueIsReadAndTheValueIsRecorded() {
    HostResource later =
        host(
            """
            {"machine": {"instanceType": "t", "zone": "z"}, "power": "Standby", "tenancy": 3}
            """,
            """
            {"phase": "Rebooting", "tenancy": 3, "bootId": "b"}
            """);
    HostResource numbered = host("{\"power\": 7}", "{\"phase\": \"\"}");

    assertThat(later.getSpec().tenancy).isEqualTo(3);
    assertThat(later.getSpec().unknownWords())
        .containsExactly("power is no word that is known: Standby");
    assertThat(later.getStatus().bootId).isEqualTo("b");
    assertThat(later.getStatus().phase).isNull();
    assertThat(later.getStatus().unknownWords())
        .containsExactly("phase is no word that is known: Rebooting");
    assertThat(numbered.getSpec().unknownWords()).hasSize(1);
    assertThat(numbered.getStatus().phase).isNull();
    assertThat(host("{\"power\": \"Off\"}", "{}").getSpec().unknownWords()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "image, releaseTrain",
    "lifecycle, scaleDownStrategy",
    "nodeConfigurationUpdateStrategy, type"
  })
  void aPoolWithAnUnknownValueCannotBeRead(String part, String field) {
    NodePool pool;
    try (KubernetesClient client = client()) {
      pool =
          client
              .getKubernetesSerialization()
              .unmarshal(
                  """
                  {"apiVersion": "compute.coreweave.com/v1alpha1", "kind": "NodePool",
                   "metadata": {"name": "a", "uid": "u", "resourceVersion": "1",
                     "creationTimestamp": "2026-11-21T05:02:00Z"},
                   "spec": {"instanceType": "t", "targetNodes": 1, "%s": {"%s": "Later"}}}
                  """
                      .formatted(part, field),
                  NodePool.class);
    }

    assertThatThrownBy(() -> PoolConversion.pool(pool))
        .isInstanceOf(UnreadableObjectException.class)
        .hasMessage("spec.%s.%s is no word that is known: Later", part, field);
  }

  private static HostResource host(String spec, String status) {
    try (KubernetesClient client = client()) {
      return client
          .getKubernetesSerialization()
          .unmarshal(
              """
              {"apiVersion": "fleet.nodepool.io/v1alpha1", "kind": "Host",
               "metadata": {"name": "g1", "uid": "u"}, "spec": %s, "status": %s}
              """
                  .formatted(spec, status),
              HostResource.class);
    }
  }

  @Test
  void theCheapestCipherIsPreferredAndNoneIsOmitted() throws NoSuchAlgorithmException {
    String[] asked = Clients.CheaplyEncrypting.cheapestFirst();

    assertThat(asked)
        .startsWith("TLS_CHACHA20_POLY1305_SHA256")
        .containsExactlyInAnyOrder(
            SSLContext.getDefault().getDefaultSSLParameters().getCipherSuites());
  }
}
