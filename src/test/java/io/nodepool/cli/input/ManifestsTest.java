package io.nodepool.cli.input;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.nodepool.cli.command.CommandFailure;
import org.junit.jupiter.api.Test;

/** What is asked of the API server for a manifest. */
@EnableKubernetesMockClient(https = false)
@SuppressWarnings("NullAway.Init")
class ManifestsTest {
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final String DEFINITION =
      """
      {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
       "metadata": {"name": "owns.example.com"},
       "spec": {"group": "example.com", "names": {"kind": "Own", "plural": "owns"},
                "scope": "Namespaced",
                "versions": [{"name": "v1", "served": true, "storage": true}]},
       "status": {"conditions": [{"type": "Established", "status": "True"}]}}
      """;
  private static final String OWN =
      """
      {"apiVersion": "example.com/v1", "kind": "Own",
       "metadata": {"name": "one", "namespace": "default"}}
      """;

  KubernetesMockServer server;
  KubernetesClient client;

  private void listed(String group, String plural, String kind) {
    server
        .expect()
        .get()
        .withPath("/apis/" + group)
        .andReturn(
            200,
            """
            {"kind": "APIResourceList", "groupVersion": "%s",
             "resources": [{"name": "%s", "kind": "%s", "namespaced": true}]}
            """
                .formatted(group, plural, kind))
        .always();
  }

  @Test
  void anObjectOfANewDefinitionWaitsUntilDiscoveryListsItsKind() {
    listed("apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition");
    String patch =
        DEFINITIONS
            + "/owns.example.com?fieldValidation=Strict&fieldManager=nodepool-dev&force=true";
    server.expect().patch().withPath(patch).andReturn(200, DEFINITION).once();
    server
        .expect()
        .get()
        .withPath(DEFINITIONS + "?fieldSelector=metadata.name%3Downs.example.com")
        .andReturn(
            200, "{\"metadata\": {\"resourceVersion\": \"1\"}, \"items\": [" + DEFINITION + "]}")
        .always();
    server.expect().get().withPath("/apis/example.com/v1").andReturn(404, "").times(2);
    listed("example.com/v1", "owns", "Own");
    server
        .expect()
        .patch()
        .withPath(
            "/apis/example.com/v1/namespaces/default/owns/one?fieldValidation=Strict&fieldManager=nodepool-dev&force=true")
        .andReturn(200, OWN)
        .once();

    assertThatCode(() ->
            Manifests.parse("own.yaml", DEFINITION + "---\n" + OWN)
                .forEach(manifest -> manifest.apply(client)))
        .doesNotThrowAnyException();
  }

  @Test
  void aKindThatIsNowhereIsRefusedAtOnce() {
    assertThatThrownBy(() -> Manifests.parse("own.yaml", OWN).getFirst().apply(client))
        .isInstanceOf(CommandFailure.class)
        .hasMessage("own.yaml: Own one: the cluster has no kind Own of example.com/v1.");
  }
}
