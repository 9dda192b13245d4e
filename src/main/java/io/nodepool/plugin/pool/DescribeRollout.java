package io.nodepool.plugin.pool;

import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.cli.view.DisruptionView;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.kubernetes.convert.RolloutAnnotations;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.NodeReading;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.TextTable;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows how far a rollout is. */
@Command(
    name = "status",
    description = "Show how many Nodes have booted into the active configuration, and the rollout.")
final class DescribeRollout extends OnePoolCommand {
  /** The greatest number of Nodes whose turn is shown. */
  private static final int SHOWN = 10;

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
  protected void check() {
    require(watch || wait || timeout.isEmpty(), "--timeout needs --watch or --wait");
  }

  @Override
  protected int run(ClusterClient client) {
    int failed = super.run(client);
    return failed == ExitCodes.DONE ? code : failed;
  }

  @Override
  void run(ClusterClient client, PoolReading seen) {
    if (watch || wait) {
      follow(client, seen);
    } else {
      printFacts(seen);
      if (!seen.rolloutPhase().isEmpty()) {
        printTurns(client, seen);
      }
    }
  }

  private void follow(ClusterClient client, PoolReading seen) {
    Consumer<String> changes = watch ? this::print : _ -> {};
    RolloutWait.End end =
        new RolloutWait(client, surroundings().limit(timeout), changes).untilEnd(seen);
    code = end.code();
    print(end.line());
  }

  private void printFacts(PoolReading seen) {
    String pending = seen.pending().map(PoolReading.Revision::profile).orElse("");
    RolloutSettings asked = RolloutAnnotations.read(seen.annotations());
    boolean runs = seen.rolloutPhase().equals(RolloutState.Phase.RUNNING.word());
    RolloutSettings settings = runs ? asked.withEvict(seen.rolloutEvicts()) : asked;
    new TextTable("", 2)
        .row("NodePool:", seen.name())
        .row("Strategy:", TextTable.orNone(seen.strategy()))
        .row("Active:", TextTable.orNone(seen.active()) + (seen.isDisabled() ? " (disabled)" : ""))
        .row("Pending:", TextTable.orNone(pending))
        .row("Up to date:", seen.upToDateText())
        .row("Rollout:", rollout(seen))
        .row("Settings:", settings.problem().orElseGet(() -> asSet(settings)))
        .row("Progress:", TextTable.orNone(seen.progress()))
        .print(out());
  }

  /** Prints the Nodes that have their turn, longest first: since when, and what they wait for. */
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
    TextTable table = new TextTable("  ", 2).row("Node", "Stage", "Since", "Waits for");
    for (NodeReading node : turns.subList(0, Math.min(SHOWN, turns.size()))) {
      DisruptionView view = node.disruption().orElseThrow();
      String refusal =
          node.committed()
              .flatMap(_ -> node.refusal(client.events(node.name())))
              .map(text -> ". " + text)
              .orElse("");
      table.row(
          node.name(), view.stage(), ObjectFacts.seconds(view.since()), view.waitText() + refusal);
    }
    table.print(out());
    if (turns.size() > SHOWN) {
      out().println("  and %d more".formatted(turns.size() - SHOWN));
    }
  }

  /** The progress shows the soak that the operator has divided. */
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
