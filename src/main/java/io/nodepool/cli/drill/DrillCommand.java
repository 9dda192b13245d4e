package io.nodepool.cli.drill;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.command.JunitReport;
import io.nodepool.cli.input.InputFile;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.control.SteadyClock;
import io.nodepool.drill.DrillResult;
import io.nodepool.drill.DrillRun;
import io.nodepool.drill.DrillSearch;
import io.nodepool.drill.DrillText;
import io.nodepool.drill.Scenario;
import io.nodepool.drill.document.ScenarioDocument;
import io.nodepool.drill.document.ScenarioMistake;
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
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Plays a scenario in virtual time (docs/drills.md). */
@Command(
    name = "drill",
    mixinStandardHelpOptions = true,
    subcommands = NewDrillCommand.class,
    description =
        "Play a scenario in virtual time, without a cluster: a data centre, NodePools and workloads, what happens to them, and what is expected of it.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:all that is expected held",
      "2:an option or the scenario is wrong",
      "3:something that is expected did not hold"
    })
public final class DrillCommand implements Callable<Integer> {
  @Parameters(arity = "0..1", paramLabel = "FILE", description = "The scenario.")
  private Optional<Path> scenarioFile = Optional.empty();

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the first run. Default: ${DEFAULT-VALUE}.")
  private long seed = 1;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "1",
      description =
          "Number of runs, each with the next seed, side by side. Default: ${DEFAULT-VALUE}.")
  private int seeds = 1;

  @Option(
      names = "--shrink",
      description = "Find out which entries of the script the first failure needs.")
  private boolean shrink;

  @Option(
      names = "--cause",
      description =
          "Find out from when on the first failure is certain, whatever happens in which order.")
  private boolean cause;

  @Option(
      names = "--others",
      paramLabel = "N",
      defaultValue = "20",
      description =
          "With --cause: number of other courses that are tried. Default: ${DEFAULT-VALUE}.")
  private int others = 20;

  @Option(names = "--trace", description = "Print each step of a single run.")
  private boolean trace;

  @Option(
      names = "--junit",
      paramLabel = "FILE",
      description = "Write a report to a file as JUnit does.")
  private Optional<Path> junit = Optional.empty();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    OptionValues.require(spec, seeds >= 1, "--seeds must be at least 1, not %d.".formatted(seeds));
    OptionValues.require(
        spec, others >= 1, "--others must be at least 1, not %d.".formatted(others));
    OptionValues.require(
        spec, !trace || seeds == 1, "--trace prints a single run; leave --seeds out.");
    requireFolder();
    Path file =
        scenarioFile.orElseThrow(
            () -> new ParameterException(spec.commandLine(), "Missing required parameter: 'FILE'"));
    InputFile.text(file);
    quieten();
    PrintWriter out = spec.commandLine().getOut();
    Scenario scenario = scenario(file);
    scenario.warnings().forEach(each -> spec.commandLine().getErr().println("Warning: " + each));
    InstantSource clock = new SteadyClock(InstantSource.system(), System::nanoTime);
    Instant began = clock.instant();
    List<DrillResult> results =
        seeds == 1
            ? List.of(DrillRun.play(scenario, seed, tracer(out)))
            : LongStream.range(seed, seed + seeds)
                .parallel()
                .mapToObj(each -> DrillRun.play(scenario, each, Optional.empty()))
                .toList();
    Duration took = Duration.between(began, clock.instant());
    if (junit.isPresent()) {
      Files.writeString(junit.get(), report(scenario, results, took).xml());
    }
    Optional<DrillResult> failed =
        results.stream().filter(each -> each.failure().isPresent()).findFirst();
    if (seeds == 1) {
      DrillText.timeline(results.getFirst()).forEach(out::println);
    }
    DrillText.verdict(results, took, "nodepool drill " + file).forEach(out::println);
    failed.filter(_ -> shrink || cause).ifPresent(each -> search(scenario, each, out));
    out.flush();
    return failed.isPresent() ? ExitCodes.BLOCKED : ExitCodes.DONE;
  }

  private void requireFolder() {
    Optional<Path> folder = junit.map(Path::toAbsolutePath).map(Path::getParent);
    folder
        .filter(each -> !Files.isDirectory(each))
        .ifPresent(each -> {
          throw CommandFailure.wrongInput("--junit: the folder %s does not exist.".formatted(each));
        });
  }

  /** Mutes the operator's log of each decision, since people read the timeline here. */
  private static void quieten() {
    if (LoggerFactory.getLogger("io.nodepool") instanceof Logger logger) {
      logger.setLevel(Level.ERROR);
    }
  }

  private Optional<Consumer<String>> tracer(PrintWriter out) {
    return trace ? Optional.of(out::println) : Optional.empty();
  }

  private static Scenario scenario(Path file) {
    try {
      return ScenarioDocument.read(file);
    } catch (ScenarioMistake e) {
      throw CommandFailure.wrongInput(e.getMessage() + ".", e);
    }
  }

  private void search(Scenario scenario, DrillResult failed, PrintWriter out) {
    DrillSearch search = new DrillSearch(scenario, failed);
    DrillSearch.Shrunk shrunk = shrink ? search.shrink() : search.whole();
    if (shrink) {
      DrillText.shrunk(scenario, shrunk).forEach(out::println);
    }
    if (cause) {
      Duration from = search.certainFrom(shrunk.left(), others);
      DrillText.cause(failed, from, others).forEach(out::println);
    }
  }

  private static JunitReport report(Scenario scenario, List<DrillResult> results, Duration took) {
    return new JunitReport(
        scenario.name(),
        "nodepool.drill",
        took,
        results.stream()
            .map(each ->
                new JunitReport.Case(
                    "seed " + each.seed(),
                    each.failure()
                        .map(failure ->
                            new JunitReport.Problem(
                                JunitReport.Kind.FAILURE,
                                failure.expectation(),
                                DrillText.failure(each, failure)))))
            .toList());
  }
}
