package io.nodepool.kubernetes.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import org.junit.jupiter.api.Test;

class PoolClonerTest {
  private final PoolCloner cloner = new PoolCloner(new KubernetesSerialization());

  @Test
  void aChangeOfACopysMetadataDoesNotChangeThePool() {
    NodePool pool = new NodePool();
    pool.setMetadata(
        new ObjectMetaBuilder().withName("p").addToFinalizers("a").addToLabels("k", "v").build());
    pool.setSpec(new NodePoolSpec());
    pool.setStatus(new NodePoolStatus());

    NodePool copy = cloner.clone(pool);
    assertThat(copy).isEqualTo(pool).isNotSameAs(pool);
    copy.getMetadata().setResourceVersion("2");
    copy.addFinalizer("example.org/b");
    copy.getMetadata().getLabels().put("k", "other");

    assertThat(pool.getMetadata())
        .isEqualTo(
            new ObjectMetaBuilder()
                .withName("p")
                .addToFinalizers("a")
                .addToLabels("k", "v")
                .build());
    assertThat(copy.getFinalizers()).containsExactly("a", "example.org/b");
  }

  @Test
  void anotherKindIsCopiedCompletely() {
    Node node = new NodeBuilder().withNewMetadata().withName("n").endMetadata().build();

    assertThat(cloner.clone(node)).isEqualTo(node).isNotSameAs(node);
  }
}
