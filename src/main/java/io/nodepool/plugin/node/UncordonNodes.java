package io.nodepool.plugin.node;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.model.node.Disruption;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.request.StateRequest;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Ends the cordon of Nodes, and with it their pending requests. */
@Command(
    name = "uncordon",
    aliases = "undrain",
    description = {
      "Mark Nodes as schedulable. undrain is the same.",
      "This cancels a reboot or verification that is pending on the Node. One that was committed goes on."
    })
final class UncordonNodes extends NamedNodesCommand {
  private static final int ATTEMPTS = 3;

  @Override
  protected int run(ClusterClient client) {
    var _ = each(name -> uncordon(client, name));
    return exitCode();
  }

  private String uncordon(ClusterClient client, String name) {
    for (int attempt = 1; ; attempt++) {
      NodeReading node = client.node(name);
      Optional<Disruption.Committed> committed = node.committed();
      // The record's own cordon ends with the record; a foreign cordon ends once it is removed.
      boolean lifts =
          node.isCordoned()
              && committed.filter(each -> each.cordon() != Disruption.Cordon.FOREIGN).isEmpty();
      Optional<String> pending =
          committed.isPresent() ? Optional.empty() : StateRequest.pending(node);
      Reply reply = write(client, node, lifts, pending.isPresent());
      if (reply.isConflict() && attempt < ATTEMPTS) {
        // The pending request may be committed now.
        continue;
      }
      client.succeeded(reply);
      if (committed.isPresent()) {
        throw new CommandFailure("too late: " + goesOn(committed.get()));
      }
      if (pending.isPresent()) {
        StateRequest.reportCancelled(client, node, now());
      }
      return (node.isCordoned() ? "uncordoned" : "already uncordoned")
          + pending.map("; the pending %s is cancelled"::formatted).orElse("");
    }
  }

  /**
   * Ends the cordon, the request, or both, on the version of the Node that was read. The operator
   * cancels the pending request of a Node that is uncordoned. A Node may have no cordon, as before
   * a safe reboot while it is busy; then only the request can be removed.
   */
  private static Reply write(
      ClusterClient client, NodeReading node, boolean lifts, boolean cancels) {
    if (!lifts && !cancels) {
      return new Reply.Ok("{}");
    }
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    if (lifts) {
      patch.setAll(CordonNodes.unschedulable(false));
    }
    if (cancels) {
      StateRequest.takeOff(patch);
    }
    return client.patchNode(node, patch);
  }

  private static String goesOn(Disruption.Committed committed) {
    return committed.isLeaving()
        ? "the Node is being removed from its NodePool (%s)".formatted(committed.words())
        : "its reboot (%s) was committed and goes on; the Node is uncordoned when it is back"
            .formatted(committed.words());
  }
}
