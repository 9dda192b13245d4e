package io.nodepool.plugin.pool;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.CommandWait;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;

/** Promotes the pending configuration. */
@Command(
    name = "upgrade",
    description = {
      "Make the pending configuration of a NodePool the active one.",
      "Its Nodes take it on when they boot: with node reboot --reconfigure, or in a rollout."
    })
public final class UpgradePool extends ActivationCommand {
  @Override
  void run(ClusterClient client, PoolReading seen) {
    String pending =
        seen.pending()
            .map(PoolReading.Revision::profile)
            .orElseThrow(() ->
                new CommandFailure(
                    "no configuration is pending; the active one is "
                        + TextTable.orNone(seen.active())));
    if (seen.commands().asked().rollback().isPresent()) {
      throw new CommandFailure(
          "a rollback is requested and not accepted yet; the operator would refuse both");
    }
    Optional<CommandWait> wait = startWait(client, seen);
    if (seen.commands().asked().promotes()) {
      print("upgrade to %s is requested already; nothing was written".formatted(pending));
    } else {
      confirm(client, seen, "be upgraded to " + pending);
      client.annotatePool(seen.name(), Map.of(PoolAnnotations.PROMOTE.key(), PoolAnnotations.TRUE));
      print("upgrade to %s requested".formatted(pending));
    }
    wait.ifPresent(each -> print("upgraded to " + each.untilActive(pending)));
  }
}
