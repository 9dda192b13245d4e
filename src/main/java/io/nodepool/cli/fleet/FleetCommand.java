package io.nodepool.cli.fleet;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Runs a fleet of real machines. */
@Command(
    name = "fleet",
    mixinStandardHelpOptions = true,
    description = "Run a fleet of real machines on a cluster, without the operator.",
    subcommands = {IronicCommand.class, CommandLine.HelpCommand.class},
    synopsisSubcommandLabel = "COMMAND")
public final class FleetCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public void run() {
    throw new CommandLine.ParameterException(
        spec.commandLine(), "Missing command; see nodepool fleet --help.");
  }
}
