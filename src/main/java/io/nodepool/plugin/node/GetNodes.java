package io.nodepool.plugin.node;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.Similar;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.plugin.input.ListingCommand;
import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.request.OutdatedNodes;
import io.nodepool.plugin.text.Columns;
import io.nodepool.plugin.text.PrintedList;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the Nodes of NodePools. */
@Command(
    name = "get",
    description = {
      "List the Nodes of NodePools: all of them, those of a NodePool, or those that are named.",
      "The first name is that of a NodePool, or else that of a Node. --pool says that all names are those of Nodes."
    })
public final class GetNodes extends ListingCommand {
  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "POOL|NODE",
      converter = NameOf.PoolOrNode.class,
      description = "Name of a NodePool, or of a Node. Default: all.")
  private Optional<String> first = Optional.empty();

  @Parameters(
      index = "1..*",
      paramLabel = "NODE",
      converter = NameOf.OneNode.class,
      description = "Names of Nodes. Default: all.")
  private List<String> others = new ArrayList<>();

  @Option(
      names = "--pool",
      paramLabel = "POOL",
      converter = NameOf.OnePool.class,
      description = "Name of the NodePool.")
  private Optional<String> pool = Optional.empty();

  @Option(
      names = "--requiring-reconfiguration",
      description =
          "Only Nodes that have not booted into the active configuration of their NodePool, with both, and whether it is staged: whether they boot it the next time.")
  private boolean requiringReconfiguration;

  private final Map<String, OutdatedNodes.Outdated> outdated = new LinkedHashMap<>();
  private final Set<String> names = new LinkedHashSet<>();
  private boolean isMissing;

  @Override
  protected int run(ClusterClient client) {
    if (first.isPresent() && pool.isEmpty() && isPool(client, first.get())) {
      pool = first;
    } else {
      first.ifPresent(names::add);
    }
    names.addAll(others);
    int code = show(client, ApiPaths.NODES, () -> listing(read(client)), this::none);
    return isMissing ? ExitCodes.FAILED : code;
  }

  private PrintedList listing(List<NodeReading> nodes) {
    Columns<NodeReading> columns =
        new Columns<NodeReading>(now())
            .name("NAME", NodeReading::name)
            .addIfAny("POOL", node -> node.label(NodeLabels.NODE_POOL))
            .addIfAny("TYPE", node -> node.label(NodeLabels.INSTANCE_TYPE))
            .add("READY", NodeReading::readyWord)
            .addIfAny("STATE", node -> node.label(NodeLabels.STATE))
            .addIfAny("PENDING", node -> node.label(NodeLabels.PENDING_STATE))
            .add("ACTIVE", GetNodes::activity)
            .add("CORDONED", NodeReading::isCordoned)
            .age("AGE", NodeReading::created);
    if (isWide()) {
      columns
          .addIfAny("RACK", node -> node.label(NodeLabels.RACK))
          .addIfAny("SLOT", node -> node.label(NodeLabels.SLOT))
          .addIfAny("BOOT-ID", NodeReading::bootId)
          .addIfAny("CORDON-REASON", node -> node.annotation(NodeAnnotations.CORDON_REASON));
    }
    if (requiringReconfiguration) {
      columns
          .addIfAny("BOOTED", node -> outdated(node).booted())
          .add("WANTED", node -> outdated(node).wanted())
          .add("STAGED", node -> outdated(node).staged());
    }
    return columns.list("node", nodes, GetNodes::object);
  }

  private static String activity(NodeReading node) {
    return node.isActive().map(active -> active ? "Active" : "Idle").orElse("Unknown");
  }

  private OutdatedNodes.Outdated outdated(NodeReading node) {
    return Objects.requireNonNull(outdated.get(node.name()));
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

  /** Whether a name is that of a NodePool; otherwise it is that of a Node. */
  private static boolean isPool(ClusterClient client, String name) {
    boolean isPool = client.exists(ApiPaths.pool(name)) || !client.nodesOf(name).isEmpty();
    if (isPool && client.exists(ApiPaths.node(name))) {
      throw new CommandFailure(
          "%1$s is a NodePool and a Node: use --pool %1$s for the Nodes of the NodePool, and --pool POOL %1$s for the Node"
              .formatted(name));
    }
    return isPool;
  }

  private List<NodeReading> read(ClusterClient client) {
    List<NodeReading> nodes =
        pool.map(name -> client.nodesOf(name, labels())).orElseGet(() -> client.nodes(labels()));
    if (nodes.isEmpty()) {
      pool.ifPresent(client::pool);
    }
    List<NodeReading> named = named(client, nodes);
    if (!requiringReconfiguration) {
      return named;
    }
    OutdatedNodes configurations = OutdatedNodes.read(client, pool);
    outdated.clear();
    named.forEach(
        node -> configurations.of(node).ifPresent(each -> outdated.put(node.name(), each)));
    return named.stream().filter(node -> outdated.containsKey(node.name())).toList();
  }

  /** The Nodes that the command names; prints an error for each name without a Node. */
  private List<NodeReading> named(ClusterClient client, List<NodeReading> nodes) {
    if (names.isEmpty()) {
      return nodes;
    }
    List<String> found = nodes.stream().map(NodeReading::name).toList();
    for (String name : names) {
      if (!found.contains(name)) {
        isMissing = true;
        List<String> known = new ArrayList<>(found);
        if (pool.isEmpty()) {
          client.readablePools().forEach(each -> known.add(each.name()));
        }
        err()
            .println(
                "error: node/%s: %s%s"
                    .formatted(
                        name,
                        pool.map("NodePool %s has no such Node"::formatted)
                            .orElse("no NodePool has such a Node"),
                        Similar.hint(name, known)));
      }
    }
    return nodes.stream().filter(node -> names.contains(node.name())).toList();
  }

  /** The Node with the fields that a list leaves out. */
  private static ObjectNode object(NodeReading node) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    object.put("apiVersion", "v1").put("kind", "Node").setAll((ObjectNode) node.json());
    return object;
  }
}
