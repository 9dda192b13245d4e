package io.nodepool.cli.kubectl;

import io.nodepool.cli.CommandFailure;
import io.nodepool.cli.kubectl.request.ClusterClient;
import io.nodepool.cli.kubectl.request.NodeReading;
import io.nodepool.cli.kubectl.request.StateRequest;
import io.nodepool.model.node.Disruption;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Ends the cordon of Nodes, and with it their pending requests. */
@Command(
    name = "uncordon",
    aliases = "undrain",
    mixinStandardHelpOptions = true,
    description = {
      "Mark Nodes as schedulable. undrain is the same.",
      "This cancels a reboot or verification that is pending on the Node. One that was committed goes on."
    })
final class UncordonNodes implements Callable<Integer> {
  @Mixin private final NodeArguments nodes = new NodeArguments();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() {
    return nodes.each(this::uncordon);
  }

  private String uncordon(ClusterClient client, String name) {
    NodeReading node = client.node(name);
    Optional<Disruption.Committed> committed = node.committed();
    if (committed.isPresent()) {
      // The record's own cordon ends with it; one of another client does once it was taken off.
      if (node.isCordoned() && committed.get().cordon() == Disruption.Cordon.FOREIGN) {
        client.mergeNode(name, CordonNodes.unschedulable(false));
      }
      throw new CommandFailure("too late: " + goesOn(committed.get()));
    }
    Instant now = KubectlPlugin.surroundings(spec).clock().instant();
    // The operator cancels what is pending on a Node that is uncordoned. While nothing cordons it,
    // as a safe reboot does not before the Node is idle, only the request itself can be taken off.
    Optional<String> cancelled = StateRequest.cancel(client, node, now);
    if (node.isCordoned()) {
      client.mergeNode(name, CordonNodes.unschedulable(false));
    }
    return (node.isCordoned() ? "uncordoned" : "already uncordoned")
        + cancelled.map("; the pending %s is cancelled"::formatted).orElse("");
  }

  private static String goesOn(Disruption.Committed committed) {
    return committed.isLeaving()
        ? "the Node is being removed from its NodePool (%s)".formatted(committed.words())
        : "its reboot (%s) was committed and goes on; the Node is uncordoned when it is back"
            .formatted(committed.words());
  }
}
