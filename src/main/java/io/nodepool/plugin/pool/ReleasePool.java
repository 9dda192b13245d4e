package io.nodepool.plugin.pool;

import io.nodepool.cli.input.OptionValues;
import io.nodepool.model.repair.ReleasedSuspects;
import io.nodepool.plugin.input.PluginSurroundings;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Releases what a NodePool holds for a person: failed reboots, or an alert that is suspected. */
@Command(
    name = "release",
    mixinStandardHelpOptions = true,
    description = {
      "Let Nodes leave a NodePool again that did not come back from their reboots, after several in a row did not: status.failedReboots says since when it is held.",
      "It releases what is held now, and nothing later. A Node whose machine comes back needs no release.",
      "With --suspect, let machines be repaired for an alert that stands on so many Nodes that it is suspected: status.repairs.suspects."
    })
public final class ReleasePool implements Callable<Integer> {
  @Mixin private final PoolArguments pool = new PoolArguments();

  @Option(
      names = "--suspect",
      paramLabel = "ALERT",
      description =
          "An alert that is suspected: machines are repaired for it for a while, within the limits.")
  private Optional<String> suspect = Optional.empty();

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      defaultValue = "1h",
      converter = OptionValues.OfDuration.class,
      description = "With --suspect, for how long. Default: ${DEFAULT-VALUE}.")
  private Duration lasts = Duration.ofHours(1);

  @Override
  public Integer call() {
    return pool.run(suspect.isPresent() ? this::releaseSuspect : this::release);
  }

  private void release(ClusterClient client, PoolReading seen) {
    String hold = seen.failedRebootsHeldSince();
    if (hold.isEmpty()) {
      pool.print("holds no failed reboots; nothing was written");
      return;
    }
    client.annotatePool(seen.name(), Map.of(PoolAnnotations.RELEASE.key(), hold));
    pool.print(
        "release requested of what is held since %s: %d waiting"
            .formatted(hold, seen.failedRebootsWaiting()));
  }

  private void releaseSuspect(ClusterClient client, PoolReading seen) {
    String alert = suspect.orElseThrow();
    if (!seen.suspects().contains(alert)) {
      pool.print(
          "does not suspect %s; nothing was written. Suspected: %s"
              .formatted(
                  alert, seen.suspects().isEmpty() ? "none" : String.join(", ", seen.suspects())));
      return;
    }
    Instant now = PluginSurroundings.of(pool.command()).clock().instant();
    Instant until = now.plus(lasts).truncatedTo(ChronoUnit.SECONDS);
    String written = seen.annotations().getOrDefault(PoolAnnotations.RELEASE_SUSPECTS.key(), "");
    client.annotatePool(
        seen.name(),
        Map.of(
            PoolAnnotations.RELEASE_SUSPECTS.key(),
            ReleasedSuspects.read(written).textWith(alert, until, now)));
    pool.print("release requested of %s until %s".formatted(alert, until));
  }
}
