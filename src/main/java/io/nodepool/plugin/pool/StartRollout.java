package io.nodepool.plugin.pool;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.kubernetes.convert.RolloutAnnotations;
import io.nodepool.kubernetes.convert.RolloutAnnotations.Setting;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plugin.input.Consent;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Starts or continues a rollout. */
@Command(
    name = "start",
    description = {
      "Reboot the Nodes of a NodePool into its active configuration, a few at once; idle Nodes first.",
      "A rollout that was stopped or paused is continued. Settings that are not given stay as they are."
    })
final class StartRollout extends ChangePoolCommand {
  @Option(
      names = "--max-unavailable",
      paramLabel = "N",
      converter = SettingValues.OfMaxUnavailable.class,
      description =
          "Begin a Node only while fewer than this are unavailable, whatever the cause: a number, or a percentage such as 10%%; of racks for types that come in racks. Default: the larger one of 1 and 5%%.")
  private Optional<String> maxUnavailable = Optional.empty();

  @Option(
      names = "--canary",
      paramLabel = "N",
      converter = SettingValues.OfCanary.class,
      description = "Bring this many Nodes up to date first. 0 for none, which is the default.")
  private Optional<String> canary = Optional.empty();

  @Option(
      names = "--soak",
      paramLabel = "DURATION",
      converter = SettingValues.OfSoak.class,
      description =
          "With a canary: how long it must have been up to date before the others begin, such as 30m.")
  private Optional<String> soak = Optional.empty();

  @Option(
      names = "--evict",
      negatable = true,
      description =
          "Drain busy Nodes, within PodDisruptionBudgets until the deadline of the drain; then Pods that are left are deleted, whatever a budget says. With --no-evict, the default, busy Nodes are begun once they are idle, and those that are being drained are released; so does rollout stop.")
  private Optional<Boolean> evict = Optional.empty();

  @Mixin private final Consent consent = new Consent();

  @Override
  void run(ClusterClient client, PoolReading seen) {
    Map<String, String> given = given();
    Map<String, String> all = new TreeMap<>(seen.annotations());
    all.putAll(given);
    RolloutSettings settings = RolloutAnnotations.read(all);
    settings
        .problem()
        .ifPresent(why -> {
          throw new CommandFailure(why);
        });
    ConfigurationCommands.Asked asked = seen.commands().asked();
    if (asked.promotes() || asked.rollback().isPresent() || !seen.waitingUntil().isEmpty()) {
      throw new CommandFailure(
          "the active configuration is about to change; start the rollout when it has changed (upgrade and rollback can --wait for that)");
    }
    requireWork(seen);
    boolean runs =
        seen.isCarriedOut() && seen.rolloutPhase().equals(RolloutState.Phase.RUNNING.word());
    boolean evictsAsGiven = evict.isEmpty() || evict.get() == seen.rolloutEvicts();
    if (runs && evictsAsGiven && seen.annotations().entrySet().containsAll(given.entrySet())) {
      print("rollout runs already; nothing was written");
      return;
    }
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

  private Map<String, String> given() {
    Map<String, String> given = new TreeMap<>();
    maxUnavailable.ifPresent(text -> given.put(Setting.MAX_UNAVAILABLE.annotation().key(), text));
    canary.ifPresent(text -> given.put(Setting.CANARY.annotation().key(), text));
    soak.ifPresent(text -> given.put(Setting.SOAK.annotation().key(), text));
    evict.ifPresent(yes -> given.put(Setting.EVICT.annotation().key(), String.valueOf(yes)));
    return given;
  }

  /** Fails if the rollout would come to nothing, as far as that is known. */
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
