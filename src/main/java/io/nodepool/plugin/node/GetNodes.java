package io.nodepool.plugin.node;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.plugin.input.ClusterOptions;
import io.nodepool.plugin.input.ListOptions;
import io.nodepool.plugin.input.PluginSurroundings;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.request.OutdatedNodes;
import io.nodepool.plugin.text.Age;
import io.nodepool.plugin.text.PrintedList;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lists the Nodes of NodePools. */
@Command(
    name = "get",
    mixinStandardHelpOptions = true,
    description = "List the Nodes of a NodePool, or of all of them.")
final class GetNodes implements Callable<Integer> {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "POOL",
      converter = OptionValues.OfName.class,
      description = "Name of a NodePool. Default: all.")
  private Optional<String> pool = Optional.empty();

  @Parameters(
      index = "1..*",
      paramLabel = "NODE",
      description = "Names of Nodes of the NodePool. Default: all.")
  private List<String> names = new ArrayList<>();

  @Option(
      names = "--requiring-reconfiguration",
      description =
          "Only Nodes that have not booted into the active configuration of their NodePool, with both, and whether it is staged: whether they boot it the next time.")
  private boolean requiringReconfiguration;

  @Mixin private final ListOptions list = new ListOptions();
  @Mixin private final ClusterOptions cluster = new ClusterOptions();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  private final Map<String, OutdatedNodes.Outdated> outdated = new LinkedHashMap<>();
  private boolean isMissing;

  @Override
  public Integer call() {
    try (ClusterClient client = cluster.open()) {
      int code = list.show(client, ApiPaths.NODES, () -> listing(read(client)), this::none);
      return isMissing ? ExitCodes.FAILED : code;
    }
  }

  private PrintedList listing(List<NodeReading> nodes) {
    Instant now = PluginSurroundings.of(spec).clock().instant();
    return new PrintedList(
        "node",
        0,
        header(),
        nodes.stream().map(node -> row(node, now)).toList(),
        Optional.of(nodes.stream().<JsonNode>map(GetNodes::object).toList()));
  }

  private String none() {
    if (isMissing) {
      return "";
    }
    if (requiringReconfiguration) {
      return pool.map("No Node of NodePool %s requires reconfiguration."::formatted)
          .orElse("No Node requires reconfiguration.");
    }
    return pool.map("NodePool %s has no Nodes."::formatted).orElse("No Nodes found.");
  }

  private List<NodeReading> read(ClusterClient client) {
    List<NodeReading> nodes =
        pool.map(name -> client.nodesOf(name, list.labels()))
            .orElseGet(() -> client.nodes(list.labels()));
    if (nodes.isEmpty()) {
      pool.ifPresent(client::pool);
    }
    List<NodeReading> named = named(nodes);
    if (!requiringReconfiguration) {
      return named;
    }
    OutdatedNodes configurations = OutdatedNodes.read(client, pool);
    outdated.clear();
    named.forEach(
        node -> configurations.of(node).ifPresent(each -> outdated.put(node.name(), each)));
    return named.stream().filter(node -> outdated.containsKey(node.name())).toList();
  }

  /** The Nodes that the command names; each name that none of them has is an error. */
  private List<NodeReading> named(List<NodeReading> nodes) {
    if (names.isEmpty()) {
      return nodes;
    }
    Set<String> found = nodes.stream().map(NodeReading::name).collect(Collectors.toSet());
    for (String name : new LinkedHashSet<>(names)) {
      if (!found.contains(name)) {
        isMissing = true;
        spec.commandLine()
            .getErr()
            .println(
                "error: node/%s: NodePool %s has no such Node".formatted(name, pool.orElse("")));
      }
    }
    return nodes.stream().filter(node -> names.contains(node.name())).toList();
  }

  private List<String> header() {
    List<String> header =
        new ArrayList<>(
            List.of(
                "NAME", "POOL", "TYPE", "READY", "STATE", "PENDING", "ACTIVE", "CORDONED", "AGE"));
    if (list.isWide()) {
      header.addAll(List.of("RACK", "SLOT", "BOOT-ID", "CORDON-REASON"));
    }
    if (requiringReconfiguration) {
      header.addAll(List.of("BOOTED", "WANTED", "STAGED"));
    }
    return header;
  }

  private List<String> row(NodeReading node, Instant now) {
    List<String> row =
        new ArrayList<>(
            List.of(
                node.name(),
                node.label(NodeLabels.NODE_POOL),
                TextTable.orNone(node.label(NodeLabels.INSTANCE_TYPE)),
                node.ready().isEmpty() ? "Unknown" : node.ready(),
                TextTable.orNone(node.label(NodeLabels.STATE)),
                TextTable.orNone(node.label(NodeLabels.PENDING_STATE)),
                node.isActive().map(active -> active ? "Active" : "Idle").orElse("Unknown"),
                String.valueOf(node.isCordoned()),
                Age.since(node.created(), now)));
    if (list.isWide()) {
      row.addAll(
          List.of(
              TextTable.orNone(node.label(NodeLabels.RACK)),
              TextTable.orNone(node.label(NodeLabels.SLOT)),
              TextTable.orNone(node.bootId()),
              TextTable.orNone(node.annotation(NodeAnnotations.CORDON_REASON))));
    }
    Optional.ofNullable(outdated.get(node.name()))
        .ifPresent(each ->
            row.addAll(
                List.of(
                    TextTable.orNone(each.booted()),
                    each.wanted(),
                    String.valueOf(each.staged()))));
    return row;
  }

  /** The Node with the fields that a list leaves out. */
  private static ObjectNode object(NodeReading node) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("apiVersion", "v1").put("kind", "Node").setAll((ObjectNode) node.json());
    return object;
  }
}
