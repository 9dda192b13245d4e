package io.nodepool.plugin.node;

import io.nodepool.plugin.input.CommandGroup;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import picocli.CommandLine.Command;

/** {@code kubectl nodepool node}. */
@Command(
    name = "node",
    description = "Show, reboot, cordon, drain and verify the Nodes of NodePools.")
public final class NodeCommand extends CommandGroup {
  @Override
  protected SequencedMap<String, Class<?>> commands() {
    SequencedMap<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("get", GetNodes.class);
    commands.put("describe", DescribeNode.class);
    commands.put("reboot", RebootNodes.class);
    commands.put("verify", VerifyNodes.class);
    commands.put("cordon", CordonNodes.class);
    commands.put("uncordon", UncordonNodes.class);
    commands.put("drain", DrainNodes.class);
    return commands;
  }
}
