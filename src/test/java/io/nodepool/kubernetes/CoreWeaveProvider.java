package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.nodepool.deploy.ClusterAutoscalerManifest;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.local.LocalCluster;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The requests of the cluster-autoscaler's provider for CoreWeave, with the permissions of the
 * example manifest (contract §7). It reads NodePools as untyped JSON, and its copy of a NodePool is
 * as old as its last request.
 */
final class CoreWeaveProvider implements AutoCloseable {
  private static final ResourceDefinitionContext NODE_POOLS =
      new ResourceDefinitionContext.Builder()
          .withGroup("compute.coreweave.com")
          .withVersion("v1alpha1")
          .withPlural("nodepools")
          .withKind("NodePool")
          .build();

  private final KubernetesClient client;

  /** A provider with the account of the manifest, which must exist. */
  CoreWeaveProvider(LocalCluster cluster) {
    Config config = Config.fromKubeconfig(cluster.kubeconfig());
    config.setImpersonateUsername(ClusterAutoscalerManifest.USER);
    config.setRequestRetryBackoffLimit(0);
    client = new KubernetesClientBuilder().withConfig(config).build();
  }

  /** A client with the account's permissions. */
  KubernetesClient client() {
    return client;
  }

  private MixedOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      nodePools() {
    return client.genericKubernetesResources(NODE_POOLS);
  }

  /** The pools that it may scale. */
  List<Group> groups() {
    return nodePools().list().getItems().stream()
        .filter(pool -> Boolean.TRUE.equals(pool.get("spec", "autoscaling")))
        .map(Group::new)
        .toList();
  }

  /** The pool of this name. */
  Group group(String name) {
    return groups().stream()
        .filter(group -> group.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is none of " + groups()));
  }

  /** A pool as last read. */
  final class Group {
    private GenericKubernetesResource pool;

    private Group(GenericKubernetesResource pool) {
      this.pool = pool;
    }

    String name() {
      return pool.getMetadata().getName();
    }

    /** The pool's identifier. */
    String id() {
      return pool.getMetadata().getUid();
    }

    /** An integer; 0 if it is absent or not an integer. */
    private int integer(String field) {
      return pool.get("spec", field) instanceof Integer number ? number : 0;
    }

    int targetSize() {
      return integer("targetNodes");
    }

    /** Requests more Nodes. */
    void increaseSize(int nodes) {
      setSize(targetSize() + nodes);
    }

    /** Removes Nodes that it has drained. */
    void deleteNodes(List<String> names) {
      assertThat(nodes()).extracting(ObjectFacts::name).containsAll(names);
      setSize(targetSize() - names.size());
    }

    /** Gives up Nodes that have not registered. */
    void decreaseTargetSize(int nodes) {
      setSize(targetSize() - nodes);
    }

    private void setSize(int size) {
      assertThat(size).isBetween(integer("minNodes"), integer("maxNodes"));
      nodePools()
          .withName(name())
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              "{\"spec\":{\"targetNodes\":%d}}".formatted(size));
      pool = nodePools().withName(name()).require();
      assertThat(targetSize()).isEqualTo(size);
    }

    /** Its Nodes, by the UID alone. */
    List<Node> nodes() {
      return client.nodes().withLabel(NodeLabels.NODE_POOL_UID.key(), id()).list().getItems();
    }
  }

  /** Taints a Node as a candidate for deletion. */
  void markCandidate(String node) {
    replace(node, stored -> taint(stored, NodeTaints.AUTOSCALER_CANDIDATE));
  }

  /** Taints and cordons a Node that will be deleted. */
  void markToBeDeleted(String node) {
    replace(
        node,
        stored -> {
          taint(stored, NodeTaints.AUTOSCALER_DELETION);
          stored.getSpec().setUnschedulable(true);
        });
  }

  /** Labels a Node, as releases before 1.34.3 do before they lower the target. */
  void labelForRemoval(String node) {
    replace(
        node, stored -> stored.getMetadata().getLabels().put(NodeLabels.REMOVE_NODE.key(), "true"));
  }

  private static void taint(Node node, NodeTaints taint) {
    node.getSpec()
        .getTaints()
        .add(
            new TaintBuilder()
                .withKey(taint.key())
                .withValue("1795000000")
                .withEffect(taint.effect().word())
                .build());
  }

  /** Updates the whole Node, and reads it again after a conflict. */
  private void replace(String name, Consumer<Node> change) {
    await()
        .ignoreExceptionsMatching(thrown ->
            thrown instanceof KubernetesClientException refused
                && refused.getCode() == Reply.CONFLICT)
        .until(
            () -> {
              Node node = client.nodes().withName(name).require();
              change.accept(node);
              return client.resource(node).update();
            },
            Objects::nonNull);
  }

  @Override
  public void close() {
    client.close();
  }
}
