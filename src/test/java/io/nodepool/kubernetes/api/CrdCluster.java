package io.nodepool.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.cli.command.Crds;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;

/**
 * A cluster with the CRDs of {@code crds/}, and the requests that the tests of the CRDs send to it.
 */
final class CrdCluster {
  private final KubernetesClient client;

  CrdCluster(KubernetesClient client) {
    this.client = client;
    try (Stream<Path> files = Files.list(Path.of("crds"))) {
      files.forEach(this::install);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void install(Path file) {
    CustomResourceDefinition crd =
        client.apiextensions().v1().customResourceDefinitions().load(file.toFile()).item();
    client.resource(crd).patch(apply("crd-test"));
    Awaitility.await(crd.getMetadata().getName())
        .atMost(Duration.ofSeconds(30))
        .until(() -> Crds.isEstablished(client.resource(crd).require()));
  }

  /** Runs a task while the CRD of NodePools has no rules, as in an earlier version. */
  void withoutRules(Runnable earlier) {
    Path file = Path.of("crds", "nodepools.compute.coreweave.com.yaml");
    CustomResourceDefinition crd =
        client.apiextensions().v1().customResourceDefinitions().load(file.toFile()).item();
    crd.getSpec()
        .getVersions()
        .forEach(version -> withoutRules(version.getSchema().getOpenAPIV3Schema()));
    client.resource(crd).patch(apply("crd-test"));
    Awaitility.await("the rules to be removed")
        .atMost(Duration.ofSeconds(30))
        .ignoreExceptions()
        .until(() -> {
          GenericKubernetesResource probe =
              createPool(
                  "probe", "{'instanceType': 'x', 'targetNodes': 1, 'nodeLabels': {'a b': ''}}");
          client.resource(probe).delete();
          return true;
        });
    earlier.run();
    install(file);
    Awaitility.await("the rules to be restored")
        .atMost(Duration.ofSeconds(30))
        .until(() -> {
          try {
            GenericKubernetesResource probe =
                createPool(
                    "probe", "{'instanceType': 'x', 'targetNodes': 1, 'nodeLabels': {'a b': ''}}");
            client.resource(probe).delete();
            return false;
          } catch (KubernetesClientException refusal) {
            return refusal.getCode() == 422;
          }
        });
  }

  private static void withoutRules(JSONSchemaProps schema) {
    schema.setXKubernetesValidations(List.of());
    if (schema.getProperties() != null) {
      schema.getProperties().values().forEach(CrdCluster::withoutRules);
    }
    if (schema.getItems() != null) {
      withoutRules(schema.getItems().getSchema());
    }
  }

  /** Creates a NodePool from the JSON of its spec. */
  GenericKubernetesResource createPool(String name, String spec) {
    return create("compute.coreweave.com/v1alpha1", "NodePool", name, spec);
  }

  /** Creates a Host with only a machine. */
  void createHost(String name) {
    create(
        "fleet.nodepool.io/v1alpha1",
        "Host",
        name,
        "{'machine': {'instanceType': 'gd-8xh100ib-i128', 'zone': 'US-EAST-04A'}}");
  }

  private GenericKubernetesResource create(
      String apiVersion, String kind, String name, String spec) {
    String object =
        "{'apiVersion': '%s', 'kind': '%s', 'metadata': {'name': '%s'}, 'spec': %s}"
            .formatted(apiVersion, kind, name, spec);
    return client.resource(unmarshal(object, GenericKubernetesResource.class)).create();
  }

  Resource<NodePool> pool(String name) {
    return client.resources(NodePool.class).withName(name);
  }

  Resource<HostResource> host(String name) {
    return client.resources(HostResource.class).withName(name);
  }

  /** Sends a JSON merge patch; single quotes stand for double ones. */
  static <T extends CustomResource<?, ?>> T merge(Resource<T> resource, String patch) {
    return resource.patch(PatchContext.of(PatchType.JSON_MERGE), json(patch));
  }

  /** Sends a JSON merge patch to the status. */
  static <T extends CustomResource<?, ?>> void mergeStatus(Resource<T> resource, String patch) {
    resource.subresource("status").patch(PatchContext.of(PatchType.JSON_MERGE), json(patch));
  }

  /** Applies an object as a field manager. */
  <T extends CustomResource<?, ?>> T apply(String manager, Class<T> type, String object) {
    return client.resource(unmarshal(object, type)).patch(apply(manager));
  }

  /** Applies the status of an object as a field manager. */
  <T extends CustomResource<?, ?>> T applyStatus(String manager, T object) {
    return client.resource(object).subresource("status").patch(apply(manager));
  }

  /** Asserts that the API server rejects a request as invalid, with these words in its message. */
  static void refused(ThrowingCallable request, String message) {
    KubernetesClientException refusal =
        catchThrowableOfType(KubernetesClientException.class, request);
    assertThat(refusal).as("the request was accepted").isNotNull();
    assertThat(refusal.getCode()).as(refusal.getMessage()).isEqualTo(422);
    assertThat(refusal).hasMessageContaining(message);
  }

  private <T> T unmarshal(String text, Class<T> type) {
    return client.getKubernetesSerialization().unmarshal(json(text), type);
  }

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  private static PatchContext apply(String manager) {
    return new PatchContext.Builder()
        .withPatchType(PatchType.SERVER_SIDE_APPLY)
        .withFieldManager(manager)
        .withForce(true)
        .build();
  }
}
