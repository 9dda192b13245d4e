package io.nodepool.drill.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which Pods have no Node when Nodes are lost. */
class LossesTest {
  private final List<Node> nodes = new ArrayList<>();
  private final List<Pod> pods = new ArrayList<>();

  private void node(String name, String pool, String rack) {
    nodes.add(
        new NodeBuilder()
            .withNewMetadata()
            .withName(name)
            .addToLabels("compute.coreweave.com/node-pool", pool)
            .addToLabels("node.coreweave.cloud/rack", rack)
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .withNewStatus()
            .withAllocatable(
                Map.of(
                    "nvidia.com/gpu", new Quantity("8"),
                    "cpu", new Quantity("64"),
                    "memory", new Quantity("1Ti"),
                    "pods", new Quantity("110")))
            .endStatus()
            .build());
  }

  private void pod(String name, String node, int gpus, String owner) {
    pods.add(
        Serialization.unmarshal(
            """
            metadata:
              name: %s
              namespace: ml
              labels: {pod-template-hash: x7}
              ownerReferences: %s
            spec:
              nodeName: %s
              containers: [{name: a, resources: {limits: {nvidia.com/gpu: %d}}}]
            status: {phase: Running}
            """
                .formatted(
                    name,
                    owner.isEmpty()
                        ? "[]"
                        : "[{kind: %s, controller: true}]"
                            .formatted(owner.replace("/", ", name: ")),
                    node,
                    gpus),
            Pod.class));
  }

  private String lost(int count, int spares) {
    Losses.Loss loss = Losses.of(nodes, pods, "train", spares).ofNodes(count);
    return "%s %s".formatted(loss.atOnce(), loss.later());
  }

  @Test
  void podsMoveToTheNodesThatAreLeftAndToSpares() {
    node("g1", "train", "r1");
    node("g2", "train", "r1");
    node("g3", "train", "r2");
    node("o1", "other", "r2");
    pod("t-0", "g1", 8, "Job/train");
    pod("t-1", "g2", 4, "ReplicaSet/serve-x7");
    pod("agent", "g1", 0, "DaemonSet/agent");
    // Half of g2, g3 and o1 are free.
    assertThat(lost(1, 0)).isEqualTo("{} {}");
    assertThat(lost(2, 0)).isEqualTo("{} {}");
    pod("o-0", "o1", 8, "Job/other");
    assertThat(lost(1, 0)).isEqualTo("{} {}");
    assertThat(lost(2, 0)).isEqualTo("{ml/train=1} {ml/train=1}");
    assertThat(lost(2, 1)).isEqualTo("{ml/train=1} {}");
    assertThat(lost(3, 1)).isEqualTo("{ml/serve=1, ml/train=1} {ml/train=1}");

    Losses losses = Losses.of(nodes, pods, "train", 0);
    assertThat(losses.racks())
        .containsOnly(Map.entry("r1", List.of("g1", "g2")), Map.entry("r2", List.of("g3")));
    assertThat(losses.of(List.of("g3")).atOnce()).isEmpty();
    assertThat(losses.of(List.of("g1", "g2")).atOnce()).containsEntry("ml/train", 1);
  }

  @Test
  void aPodWithoutAnOwnerIsNotMadeAgain() {
    node("g1", "train", "r1");
    node("g2", "train", "r1");
    pod("alone", "g1", 1, "");
    assertThat(lost(1, 5)).isEqualTo("{ml/alone=1} {ml/alone=1}");
  }
}
