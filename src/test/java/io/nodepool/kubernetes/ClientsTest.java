package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

class ClientsTest {
  @Test
  void whoOwnsWhichFieldIsPassedOver() {
    try (KubernetesClient client =
        Clients.forRequests(
            new ConfigBuilder()
                .withAutoConfigure(false)
                .withMasterUrl("http://127.0.0.1:1")
                .build(),
            new RequestMeter(new SimpleMeterRegistry()))) {
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
}
