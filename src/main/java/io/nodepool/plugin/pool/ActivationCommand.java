package io.nodepool.plugin.pool;

import io.nodepool.cli.input.OptionValues;
import io.nodepool.plugin.input.Consent;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.CommandWait;
import io.nodepool.plugin.request.PoolReading;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A command that makes another configuration of a NodePool the active one, and may wait until it is
 * active.
 */
abstract class ActivationCommand extends ChangePoolCommand {
  @Option(
      names = "--wait",
      description = "Wait until the configuration is the active one, or the command is refused.")
  private boolean wait;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description = "With --wait: fail after this time, such as 30m. Default: no limit.")
  private Optional<Duration> timeout = Optional.empty();

  @Mixin private final Consent consent = new Consent();

  @Override
  protected void check() {
    require(wait || timeout.isEmpty(), "--timeout needs --wait");
  }

  /** Asks for consent if the change may end work on busy Nodes, since a rollout evicts it. */
  final void confirm(ClusterClient client, PoolReading seen, String what) {
    if (seen.rolloutWouldEvict()) {
      consent.confirm(
          client,
          () -> client.nodesOf(seen.name()),
          "nodepool/%s will %s, and its rollout goes on with it and drains busy Nodes"
              .formatted(seen.name(), what),
          false);
    }
  }

  /** The wait, if the user wants it; made before the command is written. */
  final Optional<CommandWait> startWait(ClusterClient client, PoolReading before) {
    return wait && dryRun().writes()
        ? Optional.of(new CommandWait(client, before, surroundings().limit(timeout)))
        : Optional.empty();
  }
}
