package io.nodepool.cli;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.nodepool.cli.command.ApiRefusal;
import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.Crds;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.demo.DemoCommand;
import io.nodepool.cli.dev.DevCommand;
import io.nodepool.cli.drill.DrillCommand;
import io.nodepool.cli.fleet.FleetCommand;
import io.nodepool.cli.input.ReservedKeysOption;
import io.nodepool.cli.input.UsageErrors;
import io.nodepool.local.programs.LocalClusterException;
import io.nodepool.vocabulary.UserText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code nodepool}. */
@Command(
    name = "nodepool",
    description = "Node pools over a bare-metal fleet: the operator, and a simulated data centre.",
    versionProvider = Main.Version.class,
    mixinStandardHelpOptions = true,
    subcommands = {
      DevCommand.class,
      DemoCommand.class,
      RunCommand.class,
      SimulateCommand.class,
      FleetCommand.class,
      BenchCommand.class,
      ConformanceCommand.class,
      DrillCommand.class,
      Main.PrintCrds.class,
      CommandLine.HelpCommand.class
    },
    synopsisSubcommandLabel = "COMMAND")
public final class Main implements Runnable, CommandEnvironment.Holder {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  private final CommandEnvironment environment;

  /** Creates the command in the environment of this process. */
  public Main() {
    this(CommandEnvironment.ofThisProcess());
  }

  private Main(CommandEnvironment environment) {
    this.environment = environment;
  }

  /** Ends the process with the command's exit code. */
  public static void main(String[] args) {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    System.exit(run(out, err, args));
  }

  /** Runs a command line in the environment of this process and returns its exit code. */
  public static int run(PrintWriter out, PrintWriter err, String... args) {
    return run(CommandEnvironment.ofThisProcess(), out, err, args);
  }

  /** Runs a command line in this environment and returns its exit code. */
  static int run(CommandEnvironment environment, PrintWriter out, PrintWriter err, String... args) {
    return commandLine(environment)
        .setOut(out)
        .setErr(err)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(Main::printUsageError)
        .setExecutionExceptionHandler(Main::printFailure)
        .execute(args);
  }

  /** All commands and their options. */
  static CommandLine commandLine(CommandEnvironment environment) {
    return new CommandLine(new Main(environment));
  }

  @Override
  public CommandEnvironment environment() {
    return environment;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command; see nodepool --help.");
  }

  private static int printUsageError(ParameterException wrong, String[] args) {
    wrong.getCommandLine().getErr().println("nodepool: " + UsageErrors.inWords(wrong));
    return ExitCodes.USAGE;
  }

  private static int printFailure(
      Exception failure, CommandLine command, CommandLine.ParseResult parsed) {
    command.getErr().println("nodepool: " + UserText.printable(message(failure)));
    if (parsed.subcommand() != null && parsed.subcommand().hasMatchedOption("--verbose")) {
      StringWriter trace = new StringWriter();
      failure.printStackTrace(new PrintWriter(trace));
      command.getErr().println(UserText.printable(trace.toString().replace("\t", "    ")));
    }
    return failure instanceof CommandFailure known ? known.exitCode() : ExitCodes.FAILED;
  }

  private static String message(Exception failure) {
    return switch (failure) {
      // The messages of these two are for users; the second may contain the end of a log.
      case CommandFailure known -> String.valueOf(known.getMessage());
      case LocalClusterException known -> String.valueOf(known.getMessage());
      case KubernetesClientException refusal -> ApiRefusal.inWords(refusal);
      default -> "unexpected: " + failure + " (--verbose prints the stack trace)";
    };
  }

  /** Prints the version. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {CommandEnvironment.versionOf("nodepool")};
    }
  }

  /** Prints the custom resource definitions, ready for {@code kubectl apply -f -}. */
  @Command(
      name = "crds",
      description = "Print the custom resource definitions as YAML, for kubectl apply -f -.",
      mixinStandardHelpOptions = true)
  static final class PrintCrds implements Callable<Integer> {
    @Mixin private final ReservedKeysOption reserved = new ReservedKeysOption();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() {
      spec.commandLine().getOut().print(Crds.yaml(reserved.exceptions(spec)));
      spec.commandLine().getOut().flush();
      return ExitCodes.DONE;
    }
  }
}
