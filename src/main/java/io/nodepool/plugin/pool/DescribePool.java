package io.nodepool.plugin.pool;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.Branch;
import io.nodepool.plugin.text.JsonOutput;
import io.nodepool.plugin.text.OutputFormat;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Describes a NodePool as a tree. */
@Command(
    name = "describe",
    description = {
      "Describe a NodePool as a tree, with all that is not as it should be.",
      "Its conditions, configuration and rollout, repairs that wait, the Nodes that are not ready for new work, or of which something is asked, and the machines in delivery, if you may read Hosts."
    })
public final class DescribePool extends OnePoolCommand {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "json|yaml",
      converter = OutputFormat.OfDescription.class,
      description = "json or yaml prints the same facts.")
  private Optional<OutputFormat> format = Optional.empty();

  @Override
  void run(ClusterClient client, PoolReading seen) {
    List<JsonNode> hosts =
        client.readableHosts().stream()
            .filter(host -> host.at("/spec/assignment/pool").asText("").equals(seen.name()))
            .toList();
    Branch root = new PoolTree(seen, client.nodesOf(seen.name()), hosts).root();
    if (format.isPresent()) {
      out().println(JsonOutput.text(root.json(), format.get()));
    } else {
      root.print(out(), now());
    }
  }
}
