package io.nodepool.cli.kubectl;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.cli.ExitCodes;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.cli.kubectl.request.ClusterClient;
import io.nodepool.cli.kubectl.request.NodeReading;
import io.nodepool.cli.kubectl.text.Age;
import io.nodepool.cli.kubectl.text.JsonOutput;
import io.nodepool.cli.kubectl.text.OutputFormat;
import io.nodepool.cli.kubectl.text.TextTable;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
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
      arity = "0..1",
      paramLabel = "POOL",
      converter = OptionValues.OfName.class,
      description = "Name of a NodePool. Default: all.")
  private Optional<String> pool = Optional.empty();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      converter = OutputFormat.OfTable.class,
      description =
          "wide adds rack, slot, boot id and the causes of the cordon; json prints the Nodes.")
  private Optional<OutputFormat> format = Optional.empty();

  @Mixin private final ClusterOptions cluster = new ClusterOptions();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() {
    List<NodeReading> nodes = read();
    PrintWriter out = spec.commandLine().getOut();
    if (format.equals(Optional.of(OutputFormat.JSON))) {
      out.println(JsonOutput.text(list(nodes)));
    } else if (nodes.isEmpty()) {
      spec.commandLine()
          .getErr()
          .println(pool.map("NodePool %s has no Nodes."::formatted).orElse("No Nodes found."));
    } else {
      Instant now = KubectlPlugin.surroundings(spec).clock().instant();
      TextTable table = new TextTable("", 3).row(header());
      nodes.forEach(node -> table.row(row(node, now)));
      table.print(out);
    }
    return ExitCodes.DONE;
  }

  private List<NodeReading> read() {
    try (ClusterClient client = cluster.open()) {
      List<NodeReading> nodes = pool.map(client::nodesOf).orElseGet(client::nodes);
      if (nodes.isEmpty()) {
        pool.ifPresent(client::requirePool);
      }
      return nodes;
    }
  }

  private boolean isWide() {
    return format.equals(Optional.of(OutputFormat.WIDE));
  }

  private List<String> header() {
    List<String> header =
        new ArrayList<>(
            List.of(
                "NAME", "POOL", "TYPE", "READY", "STATE", "PENDING", "ACTIVE", "CORDONED", "AGE"));
    if (isWide()) {
      header.addAll(List.of("RACK", "SLOT", "BOOT-ID", "CORDON-REASON"));
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
    if (isWide()) {
      row.addAll(
          List.of(
              TextTable.orNone(node.label(NodeLabels.RACK)),
              TextTable.orNone(node.label(NodeLabels.SLOT)),
              TextTable.orNone(node.bootId()),
              TextTable.orNone(node.annotation(NodeAnnotations.CORDON_REASON))));
    }
    return row;
  }

  /** The Nodes as kubectl prints several objects: without the managed fields. */
  private static ObjectNode list(List<NodeReading> nodes) {
    ObjectNode list = JsonNodeFactory.instance.objectNode().put("apiVersion", "v1");
    for (NodeReading node : nodes) {
      ObjectNode item = list.withArray("items").addObject();
      item.put("apiVersion", "v1").put("kind", "Node").setAll((ObjectNode) node.json());
      item.withObject("metadata").remove("managedFields");
    }
    list.withArray("items");
    list.put("kind", "List").putObject("metadata").put("resourceVersion", "");
    return list;
  }
}
