package io.nodepool.plugin;

import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.UsageErrors;
import io.nodepool.plugin.explain.ExplainCommand;
import io.nodepool.plugin.host.HostCommand;
import io.nodepool.plugin.host.ListRepairs;
import io.nodepool.plugin.host.ShowCapacity;
import io.nodepool.plugin.host.ShowHealth;
import io.nodepool.plugin.input.CommandGroup;
import io.nodepool.plugin.input.PluginSurroundings;
import io.nodepool.plugin.node.GetNodes;
import io.nodepool.plugin.node.NodeCommand;
import io.nodepool.plugin.pool.DescribePool;
import io.nodepool.plugin.pool.GetPools;
import io.nodepool.plugin.pool.ListRevisions;
import io.nodepool.plugin.pool.PausePool;
import io.nodepool.plugin.pool.ReleasePool;
import io.nodepool.plugin.pool.ResumePool;
import io.nodepool.plugin.pool.RollBackPool;
import io.nodepool.plugin.pool.RolloutCommand;
import io.nodepool.plugin.pool.ScalePool;
import io.nodepool.plugin.pool.UpgradePool;
import io.nodepool.plugin.whatif.WhatIfCommand;
import io.nodepool.vocabulary.UserText;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code kubectl nodepool}. It prints errors as kubectl does. */
@Command(
    name = "kubectl nodepool",
    description = {
      "NodePools: how they are, their size, and the capacity of the fleet;",
      "their Nodes: what they are doing, reboots, drains and verification;",
      "what they boot: updates, roll-backs and rollouts of configurations;",
      "Hosts that were set aside, back into service; and what is reported about the health of machines."
    },
    versionProvider = KubectlPlugin.Version.class)
public final class KubectlPlugin extends CommandGroup implements PluginSurroundings.Holder {
  private final PluginSurroundings surroundings;

  private KubectlPlugin(PluginSurroundings surroundings) {
    this.surroundings = surroundings;
  }

  /** Ends the process with the command's exit code. */
  public static void main(String[] args) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    System.exit(run(PluginSurroundings.ofThisProcess(err), out, err, args));
  }

  /** Runs a command line and returns its exit code. */
  static int run(
      PluginSurroundings surroundings, PrintWriter out, PrintWriter err, String... args) {
    return commandLine(surroundings, List.of(args))
        .setOut(out)
        .setErr(err)
        .setParameterExceptionHandler(KubectlPlugin::printUsageError)
        .setExecutionExceptionHandler(KubectlPlugin::printFailure)
        .execute(args);
  }

  /** The commands that these words need, and their options. */
  static CommandLine commandLine(PluginSurroundings surroundings, List<String> words) {
    KubectlPlugin plugin = new KubectlPlugin(surroundings);
    CommandLine built = build(plugin, words);
    if (words.isEmpty() || !plugin.commands().containsKey(words.getFirst())) {
      built.addSubcommand(new CommandLine.HelpCommand());
    }
    return built;
  }

  @Override
  protected SequencedMap<String, Class<?>> commands() {
    SequencedMap<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("get", GetPools.class);
    commands.put("describe", DescribePool.class);
    commands.put("explain", ExplainCommand.class);
    commands.put("what-if", WhatIfCommand.class);
    commands.put("scale", ScalePool.class);
    commands.put("pause", PausePool.class);
    commands.put("resume", ResumePool.class);
    commands.put("capacity", ShowCapacity.class);
    commands.put("node", NodeCommand.class);
    commands.put("nodes", GetNodes.class);
    commands.put("revisions", ListRevisions.class);
    commands.put("upgrade", UpgradePool.class);
    commands.put("rollback", RollBackPool.class);
    commands.put("rollout", RolloutCommand.class);
    commands.put("release", ReleasePool.class);
    commands.put("host", HostCommand.class);
    commands.put("health", ShowHealth.class);
    commands.put("repairs", ListRepairs.class);
    commands.put("version", ShowVersion.class);
    return commands;
  }

  @Override
  public PluginSurroundings surroundings() {
    return surroundings;
  }

  private static int printUsageError(ParameterException wrong, String[] args) {
    CommandLine command = wrong.getCommandLine();
    command.getErr().println("error: " + UsageErrors.inWords(wrong));
    if (wrong instanceof CommandLine.UnmatchedArgumentException) {
      command
          .getErr()
          .println("See '%s --help'.".formatted(command.getCommandSpec().qualifiedName()));
    }
    return ExitCodes.USAGE;
  }

  private static int printFailure(
      Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
    command
        .getErr()
        .println(
            "error: "
                + UserText.printable(
                    failure instanceof CommandFailure known
                        ? String.valueOf(known.getMessage())
                        : "unexpected: " + failure));
    return failure instanceof CommandFailure known ? known.exitCode() : ExitCodes.FAILED;
  }

  /** {@code kubectl nodepool version}. */
  @Command(
      name = "version",
      mixinStandardHelpOptions = true,
      description = "Print the version of the plugin.")
  static final class ShowVersion implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
      spec.root().commandLine().printVersionHelp(spec.commandLine().getOut());
    }
  }

  /** Prints the version. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {CommandEnvironment.versionOf("kubectl nodepool")};
    }
  }
}
