package io.nodepool.plugin.node;

import io.nodepool.cli.input.OptionValues;
import io.nodepool.plugin.input.PluginSurroundings;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.NodeDrain;
import io.nodepool.plugin.request.TimeLimit;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Drains Nodes. */
@Command(
    name = "drain",
    mixinStandardHelpOptions = true,
    description = {
      "Cordon Nodes, then evict their Pods and wait until these are gone.",
      "Pods of DaemonSets, mirror Pods and finished Pods stay, and disruption budgets are respected, as with"
          + " kubectl drain --ignore-daemonsets --delete-emptydir-data."
    })
final class DrainNodes implements Callable<Integer> {
  @Option(
      names = "--force",
      description = "Evict Pods without a controller too, which nothing creates anew.")
  private boolean force;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description = "Fail after this time, such as 10m. Default: no limit.")
  private Optional<Duration> timeout = Optional.empty();

  @Mixin private final NodeArguments nodes = new NodeArguments();

  @Override
  public Integer call() {
    try (ClusterClient client = nodes.open()) {
      // All are cordoned first, so that no evicted Pod is bound to the next Node.
      List<String> cordoned = nodes.each(client, nodes.names(), CordonNodes::cordon);
      NodeDrain drain = drain(client);
      return nodes.exitCode(
          nodes.each(
              client,
              cordoned,
              (_, name) -> {
                drain.run(name);
                return "drained";
              }));
    }
  }

  private NodeDrain drain(ClusterClient client) {
    TimeLimit limit = new TimeLimit(timeout, PluginSurroundings.of(nodes.command()).nanos());
    CommandLine command = nodes.command().commandLine();
    return new NodeDrain(client, limit, force, command.getOut(), command.getErr());
  }
}
