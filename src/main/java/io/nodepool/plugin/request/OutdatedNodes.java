package io.nodepool.plugin.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Which Nodes have not booted into the active configuration of their NodePool. */
public final class OutdatedNodes {
  private final Map<String, JsonNode> hosts = new TreeMap<>();
  private final Map<String, String> active = new TreeMap<>();

  /**
   * A Node on another configuration than the active one.
   *
   * @param booted the profile that its machine booted; empty text if that is unknown
   * @param wanted the profile of the active configuration
   * @param staged whether its machine boots the active configuration the next time
   */
  public record Outdated(String booted, String wanted, boolean staged) {}

  private OutdatedNodes() {}

  /** Reads what the Nodes of a NodePool, or of all NodePools, have booted and boot next. */
  public static OutdatedNodes read(ClusterClient client, Optional<String> pool) {
    OutdatedNodes nodes = new OutdatedNodes();
    pool.map(name -> List.of(client.pool(name)))
        .orElseGet(client::pools)
        .forEach(each -> nodes.active.put(each.name(), each.active()));
    client.hosts().forEach(host -> nodes.hosts.put(host.at("/metadata/name").asText(""), host));
    return nodes;
  }

  /** What a Node has booted instead; empty if it is up to date, or is being removed. */
  public Optional<Outdated> of(NodeReading node) {
    String wanted = active.getOrDefault(node.label(NodeLabels.NODE_POOL), "");
    Optional<JsonNode> host = Optional.ofNullable(hosts.get(node.name()));
    String booted = host.map(each -> each.at("/status/bootedConfiguration").asText("")).orElse("");
    boolean isRemoved =
        node.condition(NodeCondition.NODE_REMOVAL).filter(NodeReading::isTrue).isPresent();
    if (wanted.isEmpty() || wanted.equals(booted) || isRemoved) {
      return Optional.empty();
    }
    String next = host.map(each -> each.at("/spec/configuration").asText("")).orElse("");
    return Optional.of(new Outdated(booted, wanted, next.equals(wanted)));
  }
}
