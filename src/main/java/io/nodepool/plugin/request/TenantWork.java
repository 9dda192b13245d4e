package io.nodepool.plugin.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.Namespace;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.explain.TenantPods;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Pod;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The work of tenants on some Nodes, as far as this user may know.
 *
 * @param nodes the names of the Nodes
 * @param lines a line for each Pod, and for each Node with other or unknown work
 */
public record TenantWork(List<String> nodes, List<String> lines) {
  private static final String UNKNOWN = "unknown whether tenant work runs";

  public TenantWork {
    nodes = List.copyOf(nodes);
    lines = List.copyOf(lines);
  }

  /**
   * Reads the Pods on these Nodes. For a Node without Pods, or if Pods may not be listed, reads
   * CWActive.
   */
  public static TenantWork on(ClusterClient client, Supplier<List<NodeReading>> nodes) {
    try {
      return on(client, nodes.get());
    } catch (CommandFailure e) {
      return new TenantWork(List.of(), List.of(UNKNOWN));
    }
  }

  private static TenantWork on(ClusterClient client, List<NodeReading> nodes) {
    Optional<List<Pod>> listed = listed(client, nodes);
    List<String> lines = new ArrayList<>();
    for (NodeReading node : nodes) {
      List<String> pods =
          listed.orElse(List.of()).stream()
              .filter(pod -> pod.nodeName().equals(node.name()))
              .map(TenantWork::text)
              .toList();
      (pods.isEmpty() ? reported(node, listed.isPresent()).stream() : pods.stream())
          .map(text -> node.name() + ": " + text)
          .forEach(lines::add);
    }
    return new TenantWork(nodes.stream().map(NodeReading::name).toList(), lines);
  }

  private static Optional<List<Pod>> listed(ClusterClient client, List<NodeReading> nodes) {
    try {
      List<JsonNode> pods = client.podsOn(nodes.stream().map(NodeReading::name).toList());
      if (pods.isEmpty()) {
        return Optional.of(List.of());
      }
      List<Observation> seen = new ArrayList<>();
      pods.forEach(each ->
          seen.addAll(ListedObjects.observed(each, io.fabric8.kubernetes.api.model.Pod.class)));
      client
          .readableNamespaces()
          .forEach(each -> seen.addAll(ListedObjects.observed(each, Namespace.class)));
      return Optional.of(TenantPods.of(seen));
    } catch (CommandFailure | UnreadableObjectException e) {
      return Optional.empty();
    }
  }

  private static String text(Pod pod) {
    String name = "Pod %s/%s".formatted(pod.namespace(), pod.name());
    return pod.owner().kind().isEmpty()
        ? name
        : "%s of %s %s".formatted(name, pod.owner().kind(), pod.owner().name());
  }

  private static Optional<String> reported(NodeReading node, boolean listed) {
    if (node.isActive().isEmpty()) {
      return listed ? Optional.empty() : Optional.of(UNKNOWN);
    }
    return node.isActive()
        .filter(active -> active)
        .map(_ -> "it is reported active: " + node.blockers());
  }
}
