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
import picocli.CommandLine.Parameters;

/** Goes back to an earlier configuration. */
@Command(
    name = "rollback",
    description = {
      "Make an earlier configuration of a NodePool the active one again.",
      "Its Nodes take it on when they boot: with node reboot --reconfigure, or in a rollout."
    })
public final class RollBackPool extends ActivationCommand {
  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "PROFILE",
      description =
          "A configuration that kubectl nodepool revisions lists. Default: the one that was active before.")
  private Optional<String> profile = Optional.empty();

  @Override
  void run(ClusterClient client, PoolReading seen) {
    String target = target(seen).profile();
    if (seen.commands().asked().promotes()) {
      throw new CommandFailure(
          "an upgrade is requested and not accepted yet; the operator would refuse both");
    }
    confirm(client, seen, "be rolled back to " + target);
    Optional<CommandWait> wait = startWait(client, seen);
    // The name is written even if the command has none: it is the one that is printed.
    client.annotatePool(seen.name(), Map.of(PoolAnnotations.ROLLBACK.key(), target));
    print("rollback to %s requested".formatted(target));
    wait.ifPresent(each -> print("rolled back to " + each.untilActive(target)));
  }

  private PoolReading.Revision target(PoolReading seen) {
    PoolReading.Revision target =
        profile.map(name -> named(seen, name)).orElseGet(() -> before(seen));
    if (target.disabled()) {
      throw new CommandFailure(
          "%s is disabled, since machines in a row did not boot with it; revisions: %s"
              .formatted(target.profile(), seen.revisionsText()));
    }
    return target;
  }

  private static PoolReading.Revision before(PoolReading seen) {
    return seen.before()
        .orElseThrow(() ->
            new CommandFailure(
                "no configuration was active before %s"
                    .formatted(TextTable.orNone(seen.active()))));
  }

  private static PoolReading.Revision named(PoolReading seen, String name) {
    if (name.equals(seen.active())) {
      throw new CommandFailure("%s is the active configuration already".formatted(name));
    }
    return seen.revision(name).orElseThrow(() -> new CommandFailure(unknown(seen, name)));
  }

  private static String unknown(PoolReading seen, String name) {
    return seen.pending().filter(each -> each.profile().equals(name)).isPresent()
        ? "%s is pending and was not active before; kubectl nodepool upgrade %s makes it the active one"
            .formatted(name, seen.name())
        : "\"%s\" is none of its revisions; revisions: %s"
            .formatted(name, TextTable.orNone(seen.revisionsText()));
  }
}
