package io.nodepool.plugin.node;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.NodeReading;
import picocli.CommandLine.Command;

/** Marks Nodes as unschedulable. */
@Command(name = "cordon", description = "Mark Nodes as unschedulable: they take no new Pods.")
final class CordonNodes extends NamedNodesCommand {
  @Override
  protected int run(ClusterClient client) {
    var _ = each(name -> cordon(client, client.node(name)));
    return exitCode();
  }

  /** Cordons a Node, and returns what happened. */
  static String cordon(ClusterClient client, NodeReading node) {
    if (node.isCordoned()) {
      return "already cordoned";
    }
    client.mergeNode(node.name(), unschedulable(true));
    return "cordoned";
  }

  /** The patch for a cordon, or for its end. */
  static ObjectNode unschedulable(boolean cordoned) {
    ObjectNode patch = JsonNodeFactory.instance.objectNode();
    ObjectNode spec = patch.putObject("spec");
    if (cordoned) {
      spec.put("unschedulable", true);
    } else {
      spec.putNull("unschedulable");
    }
    return patch;
  }
}
