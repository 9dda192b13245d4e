package io.nodepool.cli;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.nodepool.bench.BenchRun;
import io.nodepool.bench.GrowBench;
import io.nodepool.bench.Measurement;
import io.nodepool.bench.RolloutBench;
import io.nodepool.bench.ShrinkBench;
import io.nodepool.bench.TakeoverBench;
import io.nodepool.bench.measure.BenchFailure;
import io.nodepool.bench.measure.BenchOptions;
import io.nodepool.bench.measure.OperatorLaunch;
import io.nodepool.bench.repair.RepairBench;
import io.nodepool.bench.report.BenchReport;
import io.nodepool.bench.signals.SignalsBench;
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
      BenchCommand.Standing.class,
      BenchCommand.Signals.class,
      BenchCommand.Repair.class
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

  /** A measurement, with the options that all measurements share. */
  @Command(
      mixinStandardHelpOptions = true,
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {
        "0:the measurement succeeded; no figure is a pass mark",
        "1:the measurement failed",
        "2:an option, a file or an environment variable is wrong",
        "4:the measurement timed out"
      })
  abstract static class Measuring implements Callable<Integer> {
    private static final int MOST_NODES = 100_000;

    @Option(
        names = "--nodes",
        paramLabel = "N",
        required = true,
        description = "Number of Nodes that the pool grows to or by, or has.")
    int nodes;

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

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    /** The measurement; throws if an option of its own is wrong. */
    abstract Measurement measurement();

    /** How long the cluster is observed at rest. */
    Duration rest() {
      return Duration.ZERO;
    }

    void require(boolean right, String message) {
      OptionValues.require(spec, right, message);
    }

    /** Measures, prints, and cleans up. */
    @Override
    public Integer call() {
      require(
          nodes >= 1 && nodes <= MOST_NODES,
          "--nodes must be a whole number from 1 to %d, not %d.".formatted(MOST_NODES, nodes));
      require(timeout.map(each -> each > 0).orElse(true), "--timeout must be at least 1 second.");
      Measurement measurement = measurement();
      ControlPlaneBinaries search = controlPlane.search(spec, Progress.lines(this::printProgress));
      // Opened first and closed last: the process must not end before the files are closed.
      try (ShutdownOnSignal _ = new ShutdownOnSignal(() -> {});
          PrivateFolder files = PrivateFolder.create();
          Logging _ = Logging.toFile(files.file("nodepool.log"), verbose)) {
        BenchReport report = BenchRun.of(options(files, search), measurement);
        PrintWriter out = spec.commandLine().getOut();
        (json ? List.of(report.json()) : report.lines()).forEach(out::println);
        out.flush();
        return report.isRight() ? ExitCodes.DONE : ExitCodes.FAILED;
      } catch (BenchFailure e) {
        throw new CommandFailure(
            e.isTimeOut() ? ExitCodes.TIMED_OUT : ExitCodes.FAILED, String.valueOf(e.getMessage()));
      }
    }

    private BenchOptions options(PrivateFolder files, ControlPlaneBinaries binaries) {
      return new BenchOptions(
          nodes,
          rest(),
          Duration.ofSeconds(timeout.orElse(300 + nodes * 60 / 200)),
          binaries,
          BenchCommand::install,
          new OperatorLaunch(program(), List.of(), files::file),
          this::printProgress);
    }

    private void printProgress(String line) {
      PrintWriter err = spec.commandLine().getErr();
      err.println(line);
      err.flush();
    }
  }

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
      description =
          "Grow a pool on machines that boot in no time, and compare with a plain client that sends the same writes.")
  static final class Grow extends Measuring {
    @Option(
        names = "--rest",
        paramLabel = "SECONDS",
        defaultValue = "30",
        description = "How long the cluster is observed at rest. Default: ${DEFAULT-VALUE}.")
    private int rest = 30;

    @Override
    Measurement measurement() {
      require(rest >= 1, "--rest must be at least 1 second.");
      return new GrowBench();
    }

    @Override
    Duration rest() {
      return Duration.ofSeconds(rest);
    }
  }

  /** Measures how one pool with some busy Nodes shrinks, and a plain client as for {@link Grow}. */
  @Command(
      name = "shrink",
      description =
          "Shrink a pool with the strategy PreferIdle and some busy Nodes, on machines that stop in no time, and compare with a plain client that sends the same writes.")
  static final class Shrink extends Measuring {
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
    Measurement measurement() {
      require(
          to >= 0 && to < nodes, "--to must be at least 0 and less than --nodes, not " + to + ".");
      require(busy >= 0 && busy <= 1, "--busy must be from 0 to 1, not " + busy + ".");
      return new ShrinkBench(to, (int) Math.round(nodes * busy));
    }
  }

  /** Measures how one idle pool takes on another configuration. */
  @Command(
      name = "rollout",
      description =
          "Roll a configuration out over a pool of idle Nodes, on machines that boot and are verified in no time.")
  static final class RollOut extends Measuring {
    @Option(
        names = "--max-unavailable",
        paramLabel = "M",
        required = true,
        description = "A Node begins only while fewer Nodes than this are unavailable.")
    private int maxUnavailable;

    @Override
    Measurement measurement() {
      require(
          maxUnavailable >= 1 && maxUnavailable <= nodes,
          "--max-unavailable must be from 1 to --nodes, not " + maxUnavailable + ".");
      return new RolloutBench(maxUnavailable);
    }
  }

  /** Measures the take-over after SIGKILL and after SIGTERM in the middle of a growth. */
  @Command(
      name = "takeover",
      description =
          "Send the leading replica SIGKILL, and in a second growth SIGTERM, while another replica waits.",
      exitCodeList = {
        "0:the measurement succeeded, and nothing was duplicated or missing",
        "1:the measurement failed, or something was duplicated or missing",
        "2:an option, a file or an environment variable is wrong",
        "4:the measurement timed out"
      })
  static final class Takeover extends Measuring {
    @Override
    Measurement measurement() {
      return new TakeoverBench();
    }
  }

  /** Measures a cold start on an existing load, and the reactions to single changes. */
  @Command(
      name = "standing",
      description =
          "Start the operator, with a heap of at most 512 MiB, on existing Nodes and Pods, and time its reactions to changes.")
  static final class Standing extends Measuring {
    @Option(
        names = "--pods",
        paramLabel = "M",
        required = true,
        description = "Number of tenant Pods on the Nodes, at most 110 on each.")
    private int pods;

    @Override
    Measurement measurement() {
      int most = StandingBench.mostPods(nodes);
      require(
          pods >= 0 && pods <= most,
          "--pods must be from 0 to %d on %d Nodes, of which one in five stays idle, not %d."
              .formatted(most, nodes, pods));
      return new StandingBench(pods);
    }
  }

  /** Measures how the receiver of an operator stores alerts. */
  @Command(
      name = "signals",
      description =
          "Send the alerts of a pool to the operator, one for each Node a second: first mostly repeats, then only changes; compare with a plain client that stores the same.",
      exitCodeList = {
        "0:the measurement succeeded, and everything is stored as it was sent",
        "1:the measurement failed, or something is not stored as it was sent",
        "2:an option, a file or an environment variable is wrong",
        "4:the measurement timed out"
      })
  static final class Signals extends Measuring {
    @Option(
        names = "--seconds",
        paramLabel = "SECONDS",
        defaultValue = "60",
        description = "Duration of each of the two parts. Default: ${DEFAULT-VALUE}.")
    private int seconds = 60;

    @Override
    Measurement measurement() {
      long most = SignalsBench.longestPart().toSeconds();
      require(
          seconds >= 1 && seconds <= most,
          "--seconds must be from 1 to %d, not %d.".formatted(most, seconds));
      return new SignalsBench(Duration.ofSeconds(seconds));
    }
  }

  /** Measures the repair of a Node, and how fast Nodes are cordoned for alerts. */
  @Command(
      name = "repair",
      description =
          "Repair one idle Node of a pool by a reboot, and time how fast Nodes are cordoned for alerts, one by one and many at once.")
  static final class Repair extends Measuring {
    @Override
    Measurement measurement() {
      require(
          nodes >= RepairBench.FEWEST,
          "--nodes must be at least %d, not %d.".formatted(RepairBench.FEWEST, nodes));
      return new RepairBench();
    }
  }
}
