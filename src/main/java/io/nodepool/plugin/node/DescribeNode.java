package io.nodepool.plugin.node;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.input.PluginCommand;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.EventReading;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.text.JsonOutput;
import io.nodepool.plugin.text.OutputFormat;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Describes one Node. */
@Command(
    name = "describe",
    description =
        "Describe a Node: its states and conditions, what blocks a pending reboot, what is reported about the health of its machine, and its last Events.")
final class DescribeNode extends PluginCommand {
  @Parameters(
      paramLabel = "NODE",
      converter = NameOf.OneNode.class,
      description = "Name of the Node.")
  private String node = "";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "json|yaml",
      converter = OutputFormat.OfDescription.class,
      description = "json or yaml prints the same facts.")
  private Optional<OutputFormat> format = Optional.empty();

  @Override
  protected int run(ClusterClient client) {
    NodeReading facts = client.node(node);
    List<JsonNode> events =
        client.events(node).stream().sorted(Comparator.comparing(EventReading::lastSeen)).toList();
    NodeDescription description = new NodeDescription(facts, client.signals(node, now()), events);
    if (format.isPresent()) {
      out().println(JsonOutput.text(description.json(), format.get()));
    } else {
      description.print(out(), now());
    }
    return ExitCodes.DONE;
  }
}
