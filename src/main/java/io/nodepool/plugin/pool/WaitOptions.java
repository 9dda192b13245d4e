package io.nodepool.plugin.pool;

import io.nodepool.cli.input.OptionValues;
import io.nodepool.plugin.input.PluginSurroundings;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.CommandWait;
import io.nodepool.plugin.request.PoolReading;
import java.time.Duration;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Whether and how long a command waits until it is carried out. */
final class WaitOptions {
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

  @Spec(Spec.Target.MIXEE)
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  /** Rejects a time-out without a wait. */
  void check() {
    OptionValues.require(spec, wait || timeout.isEmpty(), "--timeout needs --wait");
  }

  /** The wait, if one is wanted; made before the command is written. */
  Optional<CommandWait> start(ClusterClient client, PoolReading before) {
    return wait
        ? Optional.of(new CommandWait(client, before, timeout, PluginSurroundings.of(spec).nanos()))
        : Optional.empty();
  }
}
