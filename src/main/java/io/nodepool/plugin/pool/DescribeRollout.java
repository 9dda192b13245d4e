package io.nodepool.plugin.pool;

import io.nodepool.kubernetes.convert.RolloutAnnotations;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows how far a rollout is. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = "Show how many Nodes have booted into the active configuration, and the rollout.")
final class DescribeRollout implements Callable<Integer> {
  @Mixin private final PoolArguments pool = new PoolArguments();

  @Override
  public Integer call() {
    return pool.run((_, seen) -> print(seen));
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
            List.of("Up to date:", "%d of %d Nodes".formatted(upToDate(seen), seen.currentNodes())))
        .row(List.of("Rollout:", rollout(seen)))
        .row(List.of("Settings:", settings.problem().orElseGet(() -> asSet(settings))))
        .row(List.of("Progress:", progress(seen)))
        .print(pool.command().commandLine().getOut());
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
    String phase = seen.rolloutPhase().isEmpty() ? complete(seen) : seen.rolloutPhase();
    return seen.rolloutReason().isEmpty() ? phase : phase + ": " + seen.rolloutReason();
  }

  /** Nodes may have booted another configuration since the rollout was complete. */
  private static String complete(PoolReading seen) {
    int left = seen.currentNodes() - upToDate(seen);
    return left <= 0 ? "Complete" : "Ended; %d not up to date since".formatted(left);
  }

  private static int upToDate(PoolReading seen) {
    return seen.revision(seen.active()).map(PoolReading.Revision::nodes).orElse(0);
  }

  private static String progress(PoolReading seen) {
    return TextTable.orNone(
        seen.condition(PoolCondition.NODE_RECONFIGURATION_REQUIRED)
            .map(condition -> condition.path("message").asText(""))
            .orElse(""));
  }
}
