package io.nodepool.plugin.pool;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.plugin.input.ClusterOptions;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.TextTable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The NodePool of a command, and its cluster. */
final class PoolArguments {
  @Parameters(
      index = "0",
      paramLabel = "POOL",
      converter = OptionValues.OfName.class,
      description = "Name of a NodePool.")
  private String name = "";

  @Mixin private final ClusterOptions cluster = new ClusterOptions();

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  /** What is done with the NodePool. */
  @FunctionalInterface
  interface Task {
    /** Does it. */
    void run(ClusterClient client, PoolReading pool);
  }

  /** Does something with the NodePool and returns the exit code: 1 if it failed. */
  int run(Task task) {
    try (ClusterClient client = cluster.open()) {
      PoolReading pool = client.pool(name);
      try {
        task.run(client, pool);
        return ExitCodes.DONE;
      } catch (CommandFailure failure) {
        TextTable.printFailure(spec.commandLine().getErr(), "nodepool/" + name, failure);
        return ExitCodes.FAILED;
      }
    }
  }

  /** The command that has this argument. */
  CommandSpec command() {
    return spec;
  }

  /** Prints a line about the NodePool. */
  void print(String what) {
    spec.commandLine().getOut().println(TextTable.plain("nodepool/%s %s".formatted(name, what)));
  }
}
