package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.nodepool.kubernetes.convert.NodeConversion;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DrainStage;
import io.nodepool.vocabulary.condition.NodeRemovalReason;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/**
 * All observed states of the Nodes' removal since this was created, from a watch that omits none.
 */
final class NodeHistory implements AutoCloseable {
  /** A past state of a Node. */
  record Seen(
      boolean cordoned,
      Optional<Disruption> disruption,
      Optional<io.nodepool.model.node.Node.Removing> removing) {}

  private final Map<String, List<Seen>> seen = new ConcurrentHashMap<>();
  private final Map<String, String> uids = new ConcurrentHashMap<>();
  private final SharedIndexInformer<Node> nodes;

  NodeHistory(KubernetesClient admin) {
    nodes = admin.nodes().inform(new Recorder());
  }

  private final class Recorder implements ResourceEventHandler<Node> {
    @Override
    public void onAdd(Node node) {
      record(node);
    }

    @Override
    public void onUpdate(Node before, Node node) {
      record(node);
    }

    @Override
    public void onDelete(Node node, boolean finalStateUnknown) {}

    private void record(Node object) {
      NodeConversion.node(object)
          .ifPresent(node -> {
            uids.put(node.name(), node.uid());
            seen.computeIfAbsent(node.name(), _ -> new CopyOnWriteArrayList<>())
                .add(new Seen(node.cordoned(), node.disruption(), node.removing()));
          });
    }
  }

  /** The states of the Node, in order. */
  List<Seen> of(String node) {
    return seen.getOrDefault(node, List.of());
  }

  /** Asserts that none of these Nodes was cordoned, marked or reported as being removed. */
  void assertUntouched(List<String> nodes) {
    assertThat(nodes)
        .allSatisfy(node ->
            assertThat(of(node))
                .isNotEmpty()
                .noneMatch(Seen::cordoned)
                .allMatch(seen -> seen.disruption().isEmpty() && seen.removing().isEmpty()));
  }

  /** The UID of the last observed Node of this name. */
  String uid(String node) {
    return Objects.requireNonNull(uids.get(node));
  }

  /** The messages of the Node's CWNodeRemoval with this reason. */
  List<String> messages(String node, NodeRemovalReason reason) {
    return of(node).stream()
        .flatMap(state -> state.removing().stream())
        .filter(removing -> removing.reason() == reason)
        .map(io.nodepool.model.node.Node.Removing::message)
        .distinct()
        .toList();
  }

  /** The drains that were recorded on the Node, whatever stage each came to. */
  List<Disruption.Committed> drains(String node) {
    return of(node).stream()
        .flatMap(state -> state.disruption().stream())
        .flatMap(removal ->
            removal instanceof Disruption.Committed draining
                ? Stream.of(draining.withDrain(DrainStage.FORCED))
                : Stream.of())
        .distinct()
        .toList();
  }

  @Override
  public void close() {
    nodes.close();
  }
}
