package io.nodepool.plugin.pool;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.input.OptionValues;
import io.nodepool.cli.input.Similar;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.repair.ReleasedSuspects;
import io.nodepool.plugin.input.Consent;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Releases what a NodePool holds for a person: repairs and failed reboots, or a suspected alert.
 */
@Command(
    name = "release",
    description = {
      "Release what a NodePool holds now, once, and nothing later: repairs and failed reboots.",
      "These are Nodes that wait for a limit of repairs (status.repairs says which), and those that did not come back from their reboots, after several in a row did not (status.failedReboots).",
      "For the limits of repairs, what was set aside for alerts until now counts no more. A Node whose machine comes back needs no release.",
      "With --suspect, let machines be repaired for an alert that is in doubt, a false alarm or held: status.repairs.suspects."
    })
public final class ReleasePool extends ChangePoolCommand {
  @Option(
      names = "--suspect",
      paramLabel = "ALERT",
      description =
          "An alert that is in doubt: machines are repaired for it for a while, within the limits.")
  private Optional<String> suspect = Optional.empty();

  @Option(
      names = "--for",
      paramLabel = "DURATION",
      converter = OptionValues.OfDuration.class,
      description = "With --suspect, for how long. Default: 1h.")
  private Optional<Duration> lasts = Optional.empty();

  @Mixin private final Consent consent = new Consent();

  @Override
  protected void check() {
    require(lasts.isEmpty() || suspect.isPresent(), "--for needs --suspect");
  }

  @Override
  void run(ClusterClient client, PoolReading seen) {
    if (suspect.isPresent()) {
      release(client, seen, suspect.get());
    } else {
      release(client, seen);
    }
  }

  private void confirm(ClusterClient client, PoolReading seen, String what) {
    consent.confirm(
        client,
        () -> ConcernedNodes.awaitingRepair(client, seen),
        "nodepool/%s: %s".formatted(seen.name(), what),
        false);
  }

  private void release(ClusterClient client, PoolReading seen) {
    Map<String, String> released = new TreeMap<>();
    List<String> told = new ArrayList<>();
    if (seen.repairsWaiting() > 0) {
      String until = now().truncatedTo(ChronoUnit.SECONDS).toString();
      released.put(PoolAnnotations.RELEASE_HELD.key(), until);
      told.add(
          "release requested of what was set aside until %s: %d waiting"
              .formatted(until, seen.repairsWaiting()));
    }
    String hold = seen.failedRebootsHeldSince();
    if (!hold.isEmpty()) {
      released.put(PoolAnnotations.RELEASE.key(), hold);
      told.add(
          "release requested of what is held since %s: %d waiting"
              .formatted(hold, seen.failedRebootsWaiting()));
    }
    if (released.isEmpty()) {
      print("holds no repairs and no failed reboots; nothing was written");
      return;
    }
    if (released.containsKey(PoolAnnotations.RELEASE_HELD.key())) {
      confirm(client, seen, "what its repairs wait for will be released");
    }
    client.annotatePool(seen.name(), released);
    told.forEach(this::print);
  }

  private void release(ClusterClient client, PoolReading seen, String alert) {
    if (!seen.suspects().contains(alert)) {
      List<String> known =
          Stream.concat(
                  AlertCatalogue.shipped().all().stream().map(Alert::name),
                  seen.suspects().stream())
              .toList();
      if (!known.contains(alert)) {
        throw new CommandFailure(
            "%s is neither suspected nor in the catalogue that ships with the operator%s"
                .formatted(alert, Similar.hint(alert, known)));
      }
      print(
          "does not suspect %s; nothing was written. Suspected: %s"
              .formatted(
                  alert, seen.suspects().isEmpty() ? "none" : String.join(", ", seen.suspects())));
      return;
    }
    Instant now = now();
    Instant until = now.plus(lasts.orElse(Duration.ofHours(1))).truncatedTo(ChronoUnit.SECONDS);
    confirm(client, seen, "machines will be repaired for %s until %s".formatted(alert, until));
    String written = seen.annotations().getOrDefault(PoolAnnotations.RELEASE_SUSPECTS.key(), "");
    client.annotatePool(
        seen.name(),
        Map.of(
            PoolAnnotations.RELEASE_SUSPECTS.key(),
            ReleasedSuspects.read(written).textWith(alert, until, now)));
    print("release requested of %s until %s".formatted(alert, until));
  }
}
