package io.nodepool.plugin.node;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.plugin.input.ClusterOptions;
import io.nodepool.plugin.input.PluginSurroundings;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.EventReading;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.text.JsonOutput;
import io.nodepool.plugin.text.OutputFormat;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Describes one Node. */
@Command(
    name = "describe",
    mixinStandardHelpOptions = true,
    description =
        "Describe a Node: its states and conditions, what blocks a pending reboot, what is reported about the health of its machine, and its last Events.")
final class DescribeNode implements Callable<Integer> {
  @Parameters(
      paramLabel = "NODE",
      converter = OptionValues.OfName.class,
      description = "Name of the Node.")
  private String node = "";

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      converter = OutputFormat.OfDescription.class,
      description = "json or yaml prints the same facts.")
  private Optional<OutputFormat> format = Optional.empty();

  @Mixin private final ClusterOptions cluster = new ClusterOptions();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() {
    NodeDescription description = read();
    if (format.isPresent()) {
      spec.commandLine().getOut().println(JsonOutput.text(description.json(), format.get()));
    } else {
      description.print(spec.commandLine().getOut(), PluginSurroundings.of(spec).clock().instant());
    }
    return ExitCodes.DONE;
  }

  private NodeDescription read() {
    try (ClusterClient client = cluster.open()) {
      NodeReading facts = client.node(node);
      List<JsonNode> events =
          client.events(node).stream()
              .sorted(Comparator.comparing(EventReading::lastSeen))
              .toList();
      return new NodeDescription(facts, client.signals(node), events);
    }
  }
}
