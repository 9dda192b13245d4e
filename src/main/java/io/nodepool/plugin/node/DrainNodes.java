package io.nodepool.plugin.node;

import io.nodepool.cli.input.OptionValues;
import io.nodepool.plugin.input.Consent;
import io.nodepool.plugin.input.IfPlan;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.NodeDrain;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.whatif.Question;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Drains Nodes. */
@Command(
    name = "drain",
    description = {
      "Cordon Nodes, then evict their Pods and wait until these are gone.",
      "Pods of DaemonSets, mirror Pods and finished Pods stay, and disruption budgets are respected, as with"
          + " kubectl drain --ignore-daemonsets --delete-emptydir-data."
    })
final class DrainNodes extends NamedNodesCommand {
  @Option(
      names = "--force",
      description =
          "Evict Pods without a controller too, which nothing creates anew, and do not ask.")
  private boolean force;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description = "Fail after this time, such as 10m. Default: no limit.")
  private Optional<Duration> timeout = Optional.empty();

  @Mixin private final IfPlan ifPlan = new IfPlan();
  @Mixin private final Consent consent = new Consent();

  @Override
  protected int run(ClusterClient client) {
    ifPlan.require(client, new Question.DrainOfNodes(names()));
    // All are cordoned first, so that no evicted Pod is bound to the next Node.
    List<String> cordoned = each(name -> cordon(client, name));
    NodeDrain drain = new NodeDrain(client, surroundings().limit(timeout), force, out(), err());
    var _ =
        each(
            cordoned,
            name -> {
              drain.run(name);
              return "drained";
            });
    return exitCode();
  }

  private String cordon(ClusterClient client, String name) {
    String what = "node/%s will be cordoned and its Pods evicted".formatted(name);
    NodeReading node = client.node(name);
    consent.confirm(client, () -> List.of(node), what, force);
    return CordonNodes.cordon(client, node);
  }
}
