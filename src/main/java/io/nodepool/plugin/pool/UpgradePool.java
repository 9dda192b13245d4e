package io.nodepool.plugin.pool;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.CommandWait;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Promotes the pending configuration. */
@Command(
    name = "upgrade",
    mixinStandardHelpOptions = true,
    description = {
      "Make the pending configuration of a NodePool the active one.",
      "Its Nodes take it on when they boot: with node reboot --reconfigure, or in a rollout."
    })
public final class UpgradePool implements Callable<Integer> {
  @Mixin private final PoolArguments pool = new PoolArguments();
  @Mixin private final WaitOptions waiting = new WaitOptions();

  @Override
  public Integer call() {
    waiting.check();
    return pool.run(this::upgrade);
  }

  private void upgrade(ClusterClient client, PoolReading seen) {
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
    Optional<CommandWait> wait = waiting.start(client, seen);
    if (seen.commands().asked().promotes()) {
      pool.print("upgrade to %s is requested already; nothing was written".formatted(pending));
    } else {
      client.annotatePool(seen.name(), Map.of(PoolAnnotations.PROMOTE.key(), PoolAnnotations.TRUE));
      pool.print("upgrade to %s requested".formatted(pending));
    }
    wait.ifPresent(each -> pool.print("upgraded to " + each.untilActive(pending)));
  }
}
