package io.nodepool.plugin.pool;

import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.cli.view.DisruptionView;
import io.nodepool.kubernetes.convert.RolloutAnnotations;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plugin.input.PluginSurroundings;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.request.TimeLimit;
import io.nodepool.plugin.text.TextTable;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows how far a rollout is. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = "Show how many Nodes have booted into the active configuration, and the rollout.")
final class DescribeRollout implements Callable<Integer> {
  /** The greatest number of Nodes whose turn is shown. */
  private static final int SHOWN = 10;

  @Mixin private final PoolArguments pool = new PoolArguments();

  @Option(
      names = {"-w", "--watch"},
      description =
          "Print a line with each change, until the rollout is complete (exit code 0), pauses (5) or is stopped (6).")
  private boolean watch;

  @Option(names = "--wait", description = "The same without the lines before the last.")
  private boolean wait;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description =
          "With --watch or --wait: end after this time, such as 30m, with exit code 4. Default: no limit.")
  private Optional<Duration> timeout = Optional.empty();

  private int code = ExitCodes.DONE;

  @Override
  public Integer call() {
    OptionValues.require(
        pool.command(), watch || wait || timeout.isEmpty(), "--timeout needs --watch or --wait");
    int failed = pool.run(watch || wait ? this::follow : this::print);
    return failed == ExitCodes.DONE ? code : failed;
  }

  private void follow(ClusterClient client, PoolReading seen) {
    TimeLimit limit = new TimeLimit(timeout, PluginSurroundings.of(pool.command()).nanos());
    Consumer<String> changes = watch ? pool::print : _ -> {};
    RolloutWait.End end = new RolloutWait(client, limit, changes).untilEnd(seen);
    code = end.code();
    pool.print(end.line());
  }

  private void print(ClusterClient client, PoolReading seen) {
    print(seen);
    if (!seen.rolloutPhase().isEmpty()) {
      printTurns(client, seen);
    }
  }

  private void print(PoolReading seen) {
    String pending = seen.pending().map(PoolReading.Revision::profile).orElse("");
    RolloutSettings asked = RolloutAnnotations.read(seen.annotations());
    boolean runs = seen.rolloutPhase().equals(RolloutState.Phase.RUNNING.word());
    RolloutSettings settings = runs ? asked.withEvict(seen.rolloutEvicts()) : asked;
    new TextTable("", 2)
        .row(List.of("NodePool:", seen.name()))
        .row(List.of("Strategy:", TextTable.orNone(seen.strategy())))
        .row(
            List.of(
                "Active:",
                TextTable.orNone(seen.active()) + (seen.isDisabled() ? " (disabled)" : "")))
        .row(List.of("Pending:", TextTable.orNone(pending)))
        .row(
            List.of(
                "Up to date:", "%d of %d Nodes".formatted(seen.upToDate(), seen.currentNodes())))
        .row(List.of("Rollout:", rollout(seen)))
        .row(List.of("Settings:", settings.problem().orElseGet(() -> asSet(settings))))
        .row(List.of("Progress:", TextTable.orNone(seen.progress())))
        .print(out());
  }

  private PrintWriter out() {
    return pool.command().commandLine().getOut();
  }

  /** Which Nodes have their turn, the first one first: since when, and what each waits for. */
  private void printTurns(ClusterClient client, PoolReading seen) {
    List<NodeReading> turns =
        client.nodesOf(seen.name()).stream()
            .filter(node -> node.active().filter(each -> !each.turns().isEmpty()).isPresent())
            .sorted(
                Comparator.comparing((NodeReading node) -> node.disruption().orElseThrow().since())
                    .thenComparing(NodeReading::name))
            .toList();
    if (turns.isEmpty()) {
      out().println("Turns:       <none>");
      return;
    }
    out().println("Turns:");
    TextTable table = new TextTable("  ", 2).row(List.of("Node", "Stage", "Since", "Waits for"));
    for (NodeReading node : turns.subList(0, Math.min(SHOWN, turns.size()))) {
      DisruptionView view = node.disruption().orElseThrow();
      String refusal =
          node.committed()
              .flatMap(_ -> node.refusal(client.events(node.name())))
              .map(text -> ". " + text)
              .orElse("");
      table.row(
          List.of(
              node.name(),
              view.stage(),
              view.since().truncatedTo(ChronoUnit.SECONDS).toString(),
              view.waitText() + refusal));
    }
    table.print(out());
    if (turns.size() > SHOWN) {
      out().println("  and %d more".formatted(turns.size() - SHOWN));
    }
  }

  /** The progress has the soak as the operator divides it. */
  private static String asSet(RolloutSettings settings) {
    return SettingValues.text(settings)
        + (settings.soak().isPositive() ? " (as set; nodepool dev --speed divides the soak)" : "");
  }

  private static String rollout(PoolReading seen) {
    if (seen.rolloutNumber() == 0) {
      return TextTable.orNone("");
    }
    String since = seen.rolloutSince().isEmpty() ? "" : " since " + seen.rolloutSince();
    String phase =
        seen.rolloutPhase().isEmpty() ? complete(seen, since) : seen.rolloutPhase() + since;
    return seen.rolloutReason().isEmpty() ? phase : phase + ": " + seen.rolloutReason();
  }

  private static String complete(PoolReading seen, String since) {
    if (seen.isUpToDate()) {
      return "Complete" + since;
    }
    int left = seen.currentNodes() - seen.upToDate();
    return "Ended" + since + (left > 0 ? "; %d not up to date since".formatted(left) : "");
  }
}
