package io.nodepool.cli;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.bench.measure.BenchOptions;
import io.nodepool.bench.GrowBench;
import io.nodepool.bench.measure.OperatorLaunch;
import io.nodepool.bench.RolloutBench;
import io.nodepool.bench.ShrinkBench;
import io.nodepool.bench.TakeoverBench;
import io.nodepool.bench.report.GrowReport;
import io.nodepool.bench.report.RolloutReport;
import io.nodepool.bench.report.ShrinkReport;
import io.nodepool.bench.report.StandingReport;
import io.nodepool.bench.report.TakeoverReport;
import io.nodepool.bench.standing.StandingBench;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.Crds;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.command.Logging;
import io.nodepool.cli.command.PrivateFolder;
import io.nodepool.cli.command.ShutdownOnSignal;
import io.nodepool.cli.input.ControlPlaneOptions;
import io.nodepool.cli.input.Manifests;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.kubernetes.operator.OperatorRuntime;
import io.nodepool.local.programs.ControlPlaneBinaries;
import io.nodepool.local.programs.Progress;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Measurements of whole processes on a local cluster of their own (docs/benchmarks.md). */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    description = "Measure the operator on a local control plane of its own.",
    subcommands = {
      BenchCommand.Grow.class,
      BenchCommand.Shrink.class,
      BenchCommand.RollOut.class,
      BenchCommand.Takeover.class,
      BenchCommand.Standing.class
    },
    synopsisSubcommandLabel = "COMMAND")
final class BenchCommand implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Missing measurement; see nodepool bench --help.");
  }

  /** The options that all measurements share. */
  static final class Common {
    private static final int MOST_NODES = 100_000;

    @Option(
        names = "--nodes",
        paramLabel = "N",
        required = true,
        description = "Number of Nodes that the pool grows to or by, or has.")
    private int nodes;

    @Option(
        names = "--json",
        description = "Print one JSON object on standard output and nothing else.")
    private boolean json;

    @Option(
        names = "--timeout",
        paramLabel = "SECONDS",
        description =
            "Limit for the whole measurement. Default: five minutes, plus one for each 200 Nodes.")
    private Optional<Integer> timeout = Optional.empty();

    @Mixin private final ControlPlaneOptions controlPlane = new ControlPlaneOptions();

    @Option(names = "--verbose", description = "Print the stack trace of a failure.")
    private boolean verbose;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private void check() {
      require(
          nodes >= 1 && nodes <= MOST_NODES,
          "--nodes must be a whole number from 1 to %d, not %d.".formatted(MOST_NODES, nodes));
      require(timeout.map(each -> each > 0).orElse(true), "--timeout must be at least 1 second.");
    }

    private void require(boolean right, String message) {
      OptionValues.require(spec, right, message);
    }

    /** Measures, prints, and cleans up. */
    private int measure(Duration rest, Function<BenchOptions, Printed> measurement) {
      check();
      ControlPlaneBinaries search = controlPlane.search(spec, Progress.lines(this::printProgress));
      // Opened first and closed last: the process must not end before the others are closed.
      try (ShutdownOnSignal _ = new ShutdownOnSignal(() -> {});
          PrivateFolder files = PrivateFolder.create();
          Logging _ = Logging.toFile(files.file("nodepool.log"), verbose)) {
        Printed printed = measurement.apply(options(rest, files, search));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
          out.println(printed.json());
        } else {
          printed.lines().forEach(out::println);
        }
        out.flush();
        return printed.right() ? ExitCodes.DONE : ExitCodes.FAILED;
      } catch (BenchFailure e) {
        throw new CommandFailure(
            e.isTimeOut() ? ExitCodes.TIMED_OUT : ExitCodes.FAILED, String.valueOf(e.getMessage()));
      }
    }

    private BenchOptions options(
        Duration rest, PrivateFolder files, ControlPlaneBinaries binaries) {
      return new BenchOptions(
          nodes,
          rest,
          Duration.ofSeconds(timeout.orElse(300 + nodes * 60 / 200)),
          binaries,
          BenchCommand::install,
          new OperatorLaunch(program(), files::file),
          this::printProgress);
    }

    private void printProgress(String line) {
      PrintWriter err = spec.commandLine().getErr();
      err.println(line);
      err.flush();
    }
  }

  /**
   * A report in both forms.
   *
   * @param right whether the measured processes also behaved correctly
   */
  private record Printed(String json, List<String> lines, boolean right) {}

  /** Installs what the operator and the data centre need. */
  private static void install(KubernetesClient client) {
    Crds.install(client);
    Manifests.applyNamespace(client, OperatorRuntime.NAMESPACE);
  }

  /** The command line of this program in a JVM with the same flags, without agents. */
  private static List<String> program() {
    List<String> program = new ArrayList<>();
    program.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("-X") || argument.startsWith("--enable"))
        .forEach(program::add);
    program.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    return program;
  }

  /** Measures the growth of one pool, and a plain client that sends the same writes. */
  @Command(
      name = "grow",
      mixinStandardHelpOptions = true,
      description =
          "Grow a pool on machines that boot in no time, and compare with a plain client that sends the same writes.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        "0:the measurement succeeded; no figure is a pass mark",
        "1:the measurement failed",
        "2:an option, a file or an environment variable is wrong",
        "4:the measurement timed out"
      })
  static final class Grow implements Callable<Integer> {
    @Mixin
    @SuppressWarnings("NullAway.Init")
    private Common common;

    @Option(
        names = "--rest",
        paramLabel = "SECONDS",
        defaultValue = "30",
        description = "How long the cluster is observed at rest. Default: ${DEFAULT-VALUE}.")
    private int rest = 30;

    @Override
    public Integer call() {
      common.require(rest >= 1, "--rest must be at least 1 second.");
      return common.measure(
          Duration.ofSeconds(rest),
          options -> {
            GrowReport report = new GrowBench(options).run();
            return new Printed(report.json(), report.lines(), true);
          });
    }
  }

  /** Measures how one pool with some busy Nodes shrinks. */
  @Command(
      name = "shrink",
      mixinStandardHelpOptions = true,
      description =
          "Shrink a pool with the strategy PreferIdle and some busy Nodes, on machines that stop in no time.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        "0:the measurement succeeded; no figure is a pass mark",
        "1:the measurement failed",
        "2:an option, a file or an environment variable is wrong",
        "4:the measurement timed out"
      })
  static final class Shrink implements Callable<Integer> {
    @Mixin
    @SuppressWarnings("NullAway.Init")
    private Common common;

    @Option(
        names = "--to",
        paramLabel = "M",
        required = true,
        description = "Number of Nodes after the shrinking.")
    private int to;

    @Option(
        names = "--busy",
        paramLabel = "F",
        defaultValue = "0.5",
        description =
            "Part of the Nodes that runs a tenant's Pod, from 0 to 1. Default: ${DEFAULT-VALUE}.")
    private double busy = 0.5;

    @Override
    public Integer call() {
      common.check();
      common.require(
          to >= 0 && to < common.nodes,
          "--to must be at least 0 and less than --nodes, not " + to + ".");
      common.require(busy >= 0 && busy <= 1, "--busy must be from 0 to 1, not " + busy + ".");
      return common.measure(
          Duration.ZERO,
          options -> {
            int working = (int) Math.round(common.nodes * busy);
            ShrinkReport report = new ShrinkBench(options, to, working).run();
            return new Printed(report.json(), report.lines(), true);
          });
    }
  }

  /** Measures how one idle pool takes on another configuration. */
  @Command(
      name = "rollout",
      mixinStandardHelpOptions = true,
      description =
          "Roll a configuration out over a pool of idle Nodes, on machines that boot and are verified in no time.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        "0:the measurement succeeded; no figure is a pass mark",
        "1:the measurement failed",
        "2:an option, a file or an environment variable is wrong",
        "4:the measurement timed out"
      })
  static final class RollOut implements Callable<Integer> {
    @Mixin
    @SuppressWarnings("NullAway.Init")
    private Common common;

    @Option(
        names = "--max-unavailable",
        paramLabel = "M",
        required = true,
        description = "A Node begins only while fewer Nodes than this are unavailable.")
    private int maxUnavailable;

    @Override
    public Integer call() {
      common.check();
      common.require(
          maxUnavailable >= 1 && maxUnavailable <= common.nodes,
          "--max-unavailable must be from 1 to --nodes, not " + maxUnavailable + ".");
      return common.measure(
          Duration.ZERO,
          options -> {
            RolloutReport report = new RolloutBench(options, maxUnavailable).run();
            return new Printed(report.json(), report.lines(), true);
          });
    }
  }

  /** Measures the take-over after SIGKILL and after SIGTERM in the middle of a growth. */
  @Command(
      name = "takeover",
      mixinStandardHelpOptions = true,
      description =
          "Send the leading replica SIGKILL, and in a second growth SIGTERM, while another replica waits.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        "0:the measurement succeeded, and nothing was duplicated or missing",
        "1:the measurement failed, or something was duplicated or missing",
        "2:an option, a file or an environment variable is wrong",
        "4:the measurement timed out"
      })
  static final class Takeover implements Callable<Integer> {
    @Mixin
    @SuppressWarnings("NullAway.Init")
    private Common common;

    @Override
    public Integer call() {
      return common.measure(
          Duration.ZERO,
          options -> {
            TakeoverReport report = new TakeoverBench(options).run();
            return new Printed(report.json(), report.lines(), report.doubled().isEmpty());
          });
    }
  }

  /** Measures a cold start on an existing load, and the reactions to single changes. */
  @Command(
      name = "standing",
      mixinStandardHelpOptions = true,
      description =
          "Start the operator, with a heap of at most 512 MiB, on existing Nodes and Pods, and time its reactions to changes.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        "0:the measurement succeeded; no figure is a pass mark",
        "1:the measurement failed",
        "2:an option, a file or an environment variable is wrong",
        "4:the measurement timed out"
      })
  static final class Standing implements Callable<Integer> {
    @Mixin
    @SuppressWarnings("NullAway.Init")
    private Common common;

    @Option(
        names = "--pods",
        paramLabel = "M",
        required = true,
        description = "Number of tenant Pods on the Nodes, at most 110 on each.")
    private int pods;

    @Override
    public Integer call() {
      common.check();
      int most = StandingBench.mostPods(common.nodes);
      common.require(
          pods >= 0 && pods <= most,
          "--pods must be from 0 to %d on %d Nodes, of which one in five stays idle, not %d."
              .formatted(most, common.nodes, pods));
      return common.measure(
          Duration.ZERO,
          options -> {
            StandingReport report = new StandingBench(options, pods).run();
            return new Printed(report.json(), report.lines(), true);
          });
    }
  }
}
