package io.nodepool.plugin.pool;

import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.input.PluginCommand;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import picocli.CommandLine.Parameters;

/** A command about one NodePool. */
abstract class OnePoolCommand extends PluginCommand {
  @Parameters(
      index = "0",
      paramLabel = "POOL",
      converter = NameOf.OnePool.class,
      description = "Name of a NodePool.")
  private String name = "";

  /** Runs the command with the NodePool, as it was read. */
  abstract void run(ClusterClient client, PoolReading seen);

  @Override
  protected int run(ClusterClient client) {
    PoolReading pool = client.pool(name);
    var _ = succeeds("nodepool/" + name, () -> run(client, pool));
    return exitCode();
  }

  /** Prints a line about the NodePool. */
  final void print(String what) {
    print("nodepool/" + name, what);
  }
}
