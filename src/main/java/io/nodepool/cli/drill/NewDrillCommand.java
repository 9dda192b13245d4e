package io.nodepool.cli.drill;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.ConnectionOptions;
import io.nodepool.drill.document.ScenarioMistake;
import io.nodepool.drill.document.ScenarioWriter;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.DryRun;
import io.nodepool.plugin.request.ListedManifests;
import io.nodepool.plugin.request.ObjectDocuments;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Writes a scenario of a cluster (docs/drills.md). */
@Command(
    name = "new",
    mixinStandardHelpOptions = true,
    description =
        "Print a scenario that begins as a cluster is: its machines, NodePools, workloads and budgets, and the faults that its Hosts record. Nothing is written to the cluster.")
final class NewDrillCommand implements Callable<Integer> {
  @Option(
      names = "--from",
      paramLabel = "FILE",
      description =
          "Of the objects of a file instead of a cluster: the output of kubectl get -o yaml or -o json. With - of standard input.")
  private Optional<Path> file = Optional.empty();

  @Mixin private ConnectionOptions connection = new ConnectionOptions();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() {
    Instant now = InstantSource.system().instant();
    if (file.isPresent()) {
      String name = file.get().toString();
      return ObjectDocuments.use(
          file.get(), now, (text, at) -> print(ListedManifests.of(text, name), name, at));
    }
    try (ClusterClient client =
        new ClusterClient(
            Clients.forCommand(connection.config(), Clients.LIST_TIME_OUT), DryRun.NONE)) {
      ListedManifests listed = ListedManifests.of(client, connection.namespace());
      listed
          .unlisted()
          .forEach(path ->
              spec.commandLine()
                  .getErr()
                  .println("Warning: %s may not be listed, and is left out".formatted(path)));
      return print(listed, "the cluster", now);
    }
  }

  private int print(ListedManifests listed, String source, Instant at) {
    try {
      spec.commandLine().getOut().print(ScenarioWriter.write(listed.objects(), source, at));
      spec.commandLine().getOut().flush();
      return ExitCodes.DONE;
    } catch (ScenarioMistake e) {
      throw CommandFailure.wrongInput(e.getMessage() + ".", e);
    }
  }
}
