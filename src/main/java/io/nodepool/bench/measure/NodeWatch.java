package io.nodepool.bench.measure;

import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.kubernetes.watch.KindWatch;
import io.nodepool.kubernetes.watch.SlimStore;
import java.util.function.Consumer;

/** A watch of the Nodes of a cluster that stores no more than their names. */
public final class NodeWatch implements AutoCloseable {
  private final KindWatch<Node> nodes;

  /**
   * Starts the watch and waits until all Nodes are listed.
   *
   * @param see is called with each state of each Node, in a thread of the watch
   */
  public NodeWatch(BenchCluster cluster, Consumer<Node> see) {
    this.nodes =
        new KindWatch<>(
            "Node", cluster.watching().nodes(), SlimStore.identityOnly(Node::new), see, _ -> {});
    nodes.start();
    nodes.listed().join();
  }

  @Override
  public void close() {
    nodes.close();
  }
}
