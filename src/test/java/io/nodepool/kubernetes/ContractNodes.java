package io.nodepool.kubernetes;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.TaintBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.NodeTemplate;
import io.nodepool.fleet.Taint;
import io.nodepool.kubernetes.convert.AppliedMetadata;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.model.node.Node;
import io.nodepool.model.node.NodeMetadata;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;

/** Nodes that the contract suite creates and edits. */
final class ContractNodes {
  private static final Duration SOON = Duration.ofSeconds(30);

  private final KubernetesClient admin;

  ContractNodes(KubernetesClient admin) {
    this.admin = admin;
  }

  /** Creates the Node of a Host, with a taint and a condition of other clients. */
  Node create(Host host) {
    String pool = host.assignment().orElseThrow().pool().uid();
    admin
        .resource(
            new NodeBuilder()
                .withNewMetadata()
                .withName(host.id().name())
                .addToLabels(NodeLabels.NODE_POOL_UID.key(), pool)
                .addToAnnotations(NodeAnnotations.HOST_UID.key(), host.id().uid())
                .addToAnnotations(NodeAnnotations.TENANCY.key(), "" + host.tenancy())
                .addToAnnotations(
                    NodeAnnotations.APPLIED_METADATA.key(),
                    AppliedMetadata.write(NodeTemplate.EMPTY))
                .endMetadata()
                .withNewSpec()
                .addNewTaint("NoExecute", "somebody/else", null, "x")
                .endSpec()
                .withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus("True")
                .endCondition()
                .addNewCondition()
                .withType("SomebodyElse")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build())
        .create();
    // The controllers of the cluster remove their own taint from a new Node; after that it does not
    // change.
    Awaitility.await()
        .atMost(SOON)
        .until(() ->
            admin.nodes().withName(host.id().name()).require().getSpec().getTaints().stream()
                .noneMatch(taint -> taint.getKey().startsWith("node.kubernetes.io/")));
    return find(host.id().name()).orElseThrow();
  }

  /** The Node of this name. */
  Optional<Node> find(String name) {
    return Optional.ofNullable(admin.nodes().withName(name).get()).flatMap(NodeConversion::node);
  }

  /** Waits until the cluster has tainted the Node for its cordon. */
  Node atRest(Node node) {
    Awaitility.await()
        .atMost(SOON)
        .until(() ->
            admin.nodes().withName(node.name()).require().getSpec().getTaints().stream()
                .anyMatch(taint -> taint.getKey().equals("node.kubernetes.io/unschedulable")));
    return find(node.name()).orElseThrow();
  }

  /** The labels, annotations and taints of the Node. */
  NodeMetadata metadata(Node node) {
    return metadata(admin.nodes().withName(node.name()).require());
  }

  /** All labels and annotations, of which the conversion keeps only a part. */
  private static NodeMetadata metadata(io.fabric8.kubernetes.api.model.Node stored) {
    return NodeConversion.node(stored)
        .orElseThrow()
        .metadata()
        .withLabels(new TreeMap<>(stored.getMetadata().getLabels()))
        .withAnnotations(new TreeMap<>(stored.getMetadata().getAnnotations()));
  }

  /** Changes the Node as another client does. */
  void edit(Node node, UnaryOperator<NodeMetadata> edit) {
    admin
        .nodes()
        .withName(node.name())
        .edit(stored -> {
          NodeMetadata next = edit.apply(metadata(stored));
          return stored
              .edit()
              .editMetadata()
              .withLabels(next.labels())
              .withAnnotations(next.annotations())
              .endMetadata()
              .editSpec()
              .withTaints(next.taints().stream().map(ContractNodes::taint).toList())
              .endSpec()
              .build();
        });
  }

  private static io.fabric8.kubernetes.api.model.Taint taint(Taint taint) {
    return new TaintBuilder()
        .withKey(taint.key())
        .withValue(ObjectFacts.orAbsent(taint.value()))
        .withEffect(taint.effect())
        .build();
  }

  /** Whether the taint and the condition of other clients still exist. */
  boolean foreignFactsKept(Node node) {
    io.fabric8.kubernetes.api.model.Node stored = admin.nodes().withName(node.name()).require();
    return stored.getSpec().getTaints().stream()
            .anyMatch(taint -> taint.getKey().equals("somebody/else"))
        && stored.getStatus().getConditions().stream()
            .anyMatch(condition -> condition.getType().equals("SomebodyElse"));
  }
}
