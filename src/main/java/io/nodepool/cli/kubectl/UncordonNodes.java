package io.nodepool.cli.kubectl;

import io.nodepool.cli.kubectl.request.ClusterClient;
import io.nodepool.cli.kubectl.request.NodeReading;
import io.nodepool.cli.kubectl.request.StateRequest;
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
      "This cancels a reboot or verification that is pending on the Node."
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
}
