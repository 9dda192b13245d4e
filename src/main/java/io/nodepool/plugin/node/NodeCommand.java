package io.nodepool.plugin.node;

import io.nodepool.plugin.input.CommandGroup;
import picocli.CommandLine.Command;

/** {@code kubectl nodepool node}. */
@Command(
    name = "node",
    description = "Shows the Nodes of NodePools, and reboots, cordons, drains and verifies them.",
    subcommands = {
      GetNodes.class,
      DescribeNode.class,
      RebootNodes.class,
      VerifyNodes.class,
      CordonNodes.class,
      UncordonNodes.class,
      DrainNodes.class
    })
public final class NodeCommand extends CommandGroup {}
