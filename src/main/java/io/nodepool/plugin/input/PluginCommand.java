package io.nodepool.plugin.input;

import io.nodepool.cli.command.CommandEnvironment;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.ConnectionOptions;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.DryRun;
import io.nodepool.plugin.text.TextTable;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command of the plugin: its cluster, its outputs, and its surroundings. */
@Command(
    mixinStandardHelpOptions = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      ExitCodes.DONE
          + ":It succeeded for all objects, or nothing was to be done; explain answered.",
      ExitCodes.FAILED
          + ":It failed for an object, a question was not answered with yes, or the cluster does not answer.",
      ExitCodes.USAGE + ":An option or the form of a name is wrong; nothing was tried.",
      ExitCodes.BLOCKED + ":What was asked for is blocked, loses work, or its token is refused.",
      ExitCodes.TIMED_OUT + ":What was waited for has not happened after --timeout.",
      ExitCodes.PAUSED + ":rollout status: the rollout paused by itself.",
      ExitCodes.STOPPED + ":rollout status: the rollout was stopped."
    })
public abstract class PluginCommand implements Callable<Integer> {
  private static final int LONGEST_TEXT = 1024;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "Kubeconfig file. Default: $$KUBECONFIG, or ~/.kube/config.")
  private Optional<Path> kubeconfig = Optional.empty();

  @Option(
      names = "--context",
      paramLabel = "NAME",
      description = "Context of the kubeconfig. Default: its current one.")
  private Optional<String> context = Optional.empty();

  @Option(
      names = "--as",
      paramLabel = "USER",
      description = "The user to act as, if you may impersonate that one.")
  private Optional<String> as = Optional.empty();

  @Option(
      names = "--request-timeout",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description = "How long a request may take, such as 5s. Default: 30s.")
  private Duration requestTimeout = Clients.LIST_TIME_OUT;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  private int failure = ExitCodes.DONE;

  /** Rejects options that do not fit together. */
  protected void check() {}

  /** The dry-run mode of the command; most commands write nothing. */
  protected DryRun dryRun() {
    return DryRun.NONE;
  }

  /** Runs the command, and returns the exit code. */
  protected abstract int run(ClusterClient client);

  /** Runs without a cluster, if the options ask for that; else returns empty. */
  protected Optional<Integer> runWithoutCluster() {
    return Optional.empty();
  }

  /**
   * Checks the options, and runs with the cluster that they name.
   *
   * @throws io.nodepool.cli.command.CommandFailure if the kubeconfig or the context is not usable
   */
  @Override
  public final Integer call() {
    check();
    Optional<Integer> done = runWithoutCluster();
    if (done.isPresent()) {
      return done.get();
    }
    try (ClusterClient client =
        new ClusterClient(
            ConnectionOptions.open(
                kubeconfig,
                context,
                CommandEnvironment.of(spec),
                config -> {
                  as.ifPresent(config::setImpersonateUsername);
                  return Clients.forCommand(config, requestTimeout);
                }),
            dryRun())) {
      return run(client);
    }
  }

  /** Accepts what people are used to type: NodePools, Nodes and Hosts are in no Namespace. */
  @Option(
      names = {"-n", "--namespace"},
      paramLabel = "NAME",
      description = "Has no effect: NodePools, Nodes and Hosts are in no Namespace.")
  final void namespace(String ignored) {}

  /** Accepted like {@code -n}. */
  @Option(
      names = {"-A", "--all-namespaces"},
      description = "Has no effect.")
  final void allNamespaces(boolean ignored) {}

  /** Rejects the options unless a condition holds. */
  protected final void require(boolean right, String message) {
    OptionValues.require(spec, right, message);
  }

  /** Rejects a text for other people that is empty, or too long to be shown. */
  protected final void requireText(String option, Optional<String> text) {
    require(text.filter(String::isBlank).isEmpty(), option + " has no text");
    require(
        text.filter(each -> each.codePointCount(0, each.length()) > LONGEST_TEXT).isEmpty(),
        "%s is longer than %d characters".formatted(option, LONGEST_TEXT));
  }

  /** Does something with an object, such as {@code node/a}, and returns whether it succeeded. */
  protected final boolean succeeds(String object, Runnable task) {
    try {
      task.run();
      return true;
    } catch (CommandFailure refused) {
      String why = TextTable.plain(String.valueOf(refused.getMessage()));
      err().println("error: %s: %s".formatted(object, why));
      failure = Math.max(failure, refused.exitCode());
      return false;
    }
  }

  /** The exit code: of several failures the highest. */
  protected final int exitCode() {
    return failure;
  }

  /** Prints a line about an object. */
  protected final void print(String object, String what) {
    out().println(TextTable.plain(object + " " + what + dryRun().suffix()));
  }

  /** Standard output. */
  protected final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  /** Standard error. */
  protected final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** The surroundings of the command. */
  protected final PluginSurroundings surroundings() {
    return PluginSurroundings.of(spec);
  }

  /** The wall clock. */
  protected final Instant now() {
    return surroundings().clock().instant();
  }
}
