package io.nodepool.plugin.node;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code kubectl nodepool node}. */
@Command(
    name = "node",
    description = "Shows the Nodes of NodePools, and reboots, cordons, drains and verifies them.",
    mixinStandardHelpOptions = true,
    subcommands = {
      GetNodes.class,
      DescribeNode.class,
      RebootNodes.class,
      VerifyNodes.class,
      CordonNodes.class,
      UncordonNodes.class,
      DrainNodes.class
    },
    synopsisSubcommandLabel = "COMMAND")
public final class NodeCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "missing command; see kubectl nodepool node --help");
  }
}
