package io.nodepool.plugin.node;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.nodepool.plugin.request.ClusterClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Marks Nodes as unschedulable. */
@Command(
    name = "cordon",
    mixinStandardHelpOptions = true,
    description = "Mark Nodes as unschedulable: they take no new Pods.")
final class CordonNodes implements Callable<Integer> {
  @Mixin private final NodeArguments nodes = new NodeArguments();

  @Override
  public Integer call() {
    return nodes.each(CordonNodes::cordon);
  }

  /** Cordons a Node, and returns what happened. */
  static String cordon(ClusterClient client, String name) {
    if (client.node(name).isCordoned()) {
      return "already cordoned";
    }
    client.mergeNode(name, unschedulable(true));
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
