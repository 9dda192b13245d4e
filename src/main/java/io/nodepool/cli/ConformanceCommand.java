package io.nodepool.cli;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.command.ShutdownOnSignal;
import io.nodepool.cli.input.ConnectionOptions;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.conformance.ConformanceCheck.Verdict;
import io.nodepool.conformance.ConformanceReport;
import io.nodepool.conformance.OperatorScript;
import io.nodepool.conformance.cluster.WatchedCluster;
import io.nodepool.control.SteadyClock;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Checks a fleet on a cluster whose operator does not run (docs/conformance.md). */
@Command(
    name = "conformance",
    mixinStandardHelpOptions = true,
    description =
        "Check the fleet of a cluster: play the operator's part by hand on Hosts that are Free, and report what the fleet did otherwise than the contract says.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:no check failed",
      "1:the run could not begin, or ended early",
      "2:an option, a file or an environment variable is wrong",
      "3:a check failed",
      "130, 143:the command was ended by Ctrl-C or SIGTERM"
    })
final class ConformanceCommand implements Callable<Integer> {
  private static final Duration LISTING = Duration.ofSeconds(60);

  @Mixin private final ConnectionOptions connection = new ConnectionOptions();

  @Option(
      names = "--hosts",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Number of Hosts to test, at the same time: the first by name that are Free. Default: ${DEFAULT-VALUE}.")
  private int hosts = 1;

  @Option(
      names = "--cycles",
      paramLabel = "N",
      defaultValue = "10",
      description =
          "How often each Host is assigned and released after the other checks. Default: ${DEFAULT-VALUE}.")
  private int cycles = 10;

  @Option(
      names = "--deadline",
      paramLabel = "DURATION",
      defaultValue = "60m",
      converter = OptionValues.OfDuration.class,
      description =
          "How long a delivery, a boot, a stop or a cleaning may take. Default: ${DEFAULT-VALUE}.")
  private Duration deadline = Duration.ofMinutes(60);

  @Option(
      names = "--rest",
      paramLabel = "DURATION",
      defaultValue = "10s",
      converter = OptionValues.OfDuration.class,
      description =
          "How long to look at Hosts of which nothing is asked, each time. Default: ${DEFAULT-VALUE}.")
  private Duration rest = Duration.ofSeconds(10);

  @Option(
      names = "--restart-command",
      paramLabel = "COMMAND",
      description =
          "Shell command that kills the fleet and starts it again; it is run after each step of one cycle.")
  private Optional<String> restart = Optional.empty();

  @Option(
      names = "--junit",
      paramLabel = "FILE",
      description = "Write the report to a file as JUnit does too.")
  private Optional<Path> junit = Optional.empty();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      defaultValue = "text",
      description = "Format of the report: text, json or junit. Default: ${DEFAULT-VALUE}.")
  private ConformanceFormat output = ConformanceFormat.TEXT;

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    OptionValues.require(spec, hosts >= 1, "--hosts must be at least 1, not %d.".formatted(hosts));
    OptionValues.require(
        spec, cycles >= 0, "--cycles must be at least 0, not %d.".formatted(cycles));
    InstantSource clock = new SteadyClock(InstantSource.system(), System::nanoTime);
    try (ShutdownOnSignal _ = new ShutdownOnSignal(() -> {});
        WatchedCluster cluster =
            new WatchedCluster(
                connection.config(), connection.namespace(), clock, this::restartFleet)) {
      refuseOperator(cluster);
      cluster.start(LISTING);
      ConformanceReport report = test(cluster, free(cluster));
      if (junit.isPresent()) {
        Files.writeString(junit.get(), ConformanceFormat.JUNIT.of(report));
      }
      PrintWriter out = spec.commandLine().getOut();
      out.println(output.of(report));
      out.flush();
      return report.count(Verdict.FAILED) > 0 ? ExitCodes.BLOCKED : ExitCodes.DONE;
    }
  }

  private static void refuseOperator(WatchedCluster cluster) {
    cluster
        .operator()
        .ifPresent(holder -> {
          throw new CommandFailure(
              "An operator holds the Lease: %s. Scale it to 0 first; it would take back the Hosts that are tested."
                  .formatted(holder));
        });
  }

  /** The Hosts to test. */
  private List<String> free(WatchedCluster cluster) {
    List<String> free =
        cluster.recorder().hosts().values().stream()
            .filter(host -> host.isFree() && host.hold(cluster.now()).isEmpty())
            .map(host -> host.id().name())
            .limit(hosts)
            .toList();
    if (free.size() < hosts) {
      throw new CommandFailure(
          "%d of the Hosts are Free, not set aside and not held; --hosts asks for %d."
              .formatted(free.size(), hosts));
    }
    return free;
  }

  private ConformanceReport test(WatchedCluster cluster, List<String> names) {
    WatchedCluster.Offer offer = cluster.offer();
    Instant began = cluster.now();
    OperatorScript script =
        new OperatorScript(
            cluster,
            offer.offered().capabilities(),
            offer.configurations(),
            names,
            new OperatorScript.Settings(cycles, deadline, rest, restart.isPresent()),
            this::print);
    script.run();
    script
        .kept()
        .forEach(
            name -> print(name + " stays assigned, since its machine is not known to be off."));
    return ConformanceReport.of(
        cluster.recorder().history(offer.offered()), names, Duration.between(began, cluster.now()));
  }

  private void restartFleet() {
    String command = restart.orElseThrow();
    try {
      // Standard output is for the report.
      Process shell =
          new ProcessBuilder("/bin/sh", "-c", "exec 1>&2\n" + command).inheritIO().start();
      if (!shell.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
        shell.destroyForcibly();
        throw new CommandFailure("--restart-command did not end within --deadline: " + command);
      }
      if (shell.exitValue() != 0) {
        throw new CommandFailure(
            "--restart-command ended with %d: %s".formatted(shell.exitValue(), command));
      }
    } catch (IOException e) {
      throw new CommandFailure("--restart-command could not be started: " + command, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure("--restart-command was interrupted: " + command, e);
    }
  }

  private void print(String line) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(line);
    err.flush();
  }
}
