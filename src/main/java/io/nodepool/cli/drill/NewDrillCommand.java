package io.nodepool.cli.drill;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.cli.input.ConnectionOptions;
import io.nodepool.cli.input.ListedManifests;
import io.nodepool.cli.input.ObjectDocuments;
import io.nodepool.drill.document.ScenarioMistake;
import io.nodepool.drill.document.ScenarioWriter;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.Reply;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
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
  private static final int PAGE = 500;

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
          file.get(), now, (text, at) -> print(ListedManifests.all(text, name), name, at));
    }
    try (ApiRequests api = Clients.forCommand(connection.config(), Clients.LIST_TIME_OUT)) {
      ListedManifests listed =
          ListedManifests.all(
              path -> list(api, path), path -> read(api, path), connection.namespace());
      listed
          .unlisted()
          .forEach(kind ->
              spec.commandLine()
                  .getErr()
                  .println("Warning: %s could not be listed, and are left out".formatted(kind)));
      return print(listed, "the cluster", now);
    }
  }

  private static Optional<List<JsonNode>> list(ApiRequests api, String path) {
    List<JsonNode> items = new ArrayList<>();
    String next = "";
    do {
      Optional<JsonNode> page = read(api, ApiPaths.page(path, PAGE, "", next));
      if (page.isEmpty()) {
        return Optional.empty();
      }
      page.get().path("items").forEach(items::add);
      next = page.get().at("/metadata/continue").asText("");
    } while (!next.isEmpty());
    return Optional.of(items);
  }

  /** The object at a path; empty if it does not exist, or this user may not read it. */
  private static Optional<JsonNode> read(ApiRequests api, String path) {
    return switch (api.get(path)) {
      case Reply.Ok ok -> Optional.of(api.parse(ok, JsonNode.class));
      case Reply.Rejected(int code, String message) -> {
        if (code != Reply.NOT_FOUND && code != Reply.FORBIDDEN) {
          throw new CommandFailure(message);
        }
        yield Optional.empty();
      }
      case Reply.NotSent(String why) ->
          throw new CommandFailure("%s: %s".formatted(api.server(), why));
      case Reply.Lost(String why) -> throw new CommandFailure("no answer: " + why);
    };
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
