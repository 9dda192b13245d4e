package io.nodepool.plugin.pool;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code kubectl nodepool rollout}. */
@Command(
    name = "rollout",
    description = "Starts and stops rollouts of the active configuration, and shows them.",
    mixinStandardHelpOptions = true,
    subcommands = {StartRollout.class, StopRollout.class, DescribeRollout.class},
    synopsisSubcommandLabel = "COMMAND")
public final class RolloutCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "missing command; see kubectl nodepool rollout --help");
  }
}
