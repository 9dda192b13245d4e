package io.nodepool.plugin.pool;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plugin.input.Consent;
import io.nodepool.plugin.input.IfPlan;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import io.nodepool.whatif.Question;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Starts or continues a rollout. */
@Command(
    name = "start",
    description = {
      "Reboot the Nodes of a NodePool into its active configuration, a few at once; idle Nodes first.",
      "A rollout that was stopped or paused is continued. Settings that are not given stay as they are."
    })
final class StartRollout extends ChangePoolCommand {
  @Mixin private final RolloutOptions options = new RolloutOptions();
  @Mixin private final IfPlan ifPlan = new IfPlan();
  @Mixin private final Consent consent = new Consent();

  @Override
  void run(ClusterClient client, PoolReading seen) {
    Map<String, String> given = options.given();
    RolloutSettings settings = options.settings(seen);
    ConfigurationCommands.Asked asked = seen.commands().asked();
    if (asked.promotes() || asked.rollback().isPresent() || !seen.waitingUntil().isEmpty()) {
      throw new CommandFailure(
          "the active configuration is about to change; start the rollout when it has changed (upgrade and rollback can --wait for that)");
    }
    requireWork(seen);
    boolean runs =
        seen.isCarriedOut() && seen.rolloutPhase().equals(RolloutState.Phase.RUNNING.word());
    boolean evictsAsGiven = options.areOfEviction(seen.rolloutEvicts());
    if (runs && evictsAsGiven && seen.annotations().entrySet().containsAll(given.entrySet())) {
      print("rollout runs already; nothing was written");
      return;
    }
    ifPlan.require(client, new Question.RolloutStart(seen.name(), settings));
    if (settings.evict()) {
      consent.confirm(
          client,
          () -> ConcernedNodes.outdated(client, seen),
          "nodepool/%s will be rolled out, and busy Nodes drained".formatted(seen.name()),
          false);
    }
    given.put(PoolAnnotations.ROLLOUT.key(), PoolAnnotations.START);
    client.annotatePool(seen.name(), given);
    print("rollout start requested (%s)".formatted(SettingValues.text(settings)));
  }

  /** Fails if the rollout is known to have no effect. */
  private static void requireWork(PoolReading seen) {
    if (!seen.isCurrent()) {
      return;
    }
    if (seen.isDisabled()) {
      throw new CommandFailure(
          "the active configuration %s is disabled, since machines in a row did not boot with it; roll back or upgrade first"
              .formatted(seen.active()));
    }
    if (seen.isUpToDate()) {
      throw new CommandFailure(
          "all Nodes are on the active configuration %s%s"
              .formatted(
                  TextTable.orNone(seen.active()),
                  seen.pending()
                      .map(each ->
                          "; %s is pending: kubectl nodepool upgrade %s makes it the active one"
                              .formatted(each.profile(), seen.name()))
                      .orElse("")));
    }
  }
}
