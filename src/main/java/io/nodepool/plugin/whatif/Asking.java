package io.nodepool.plugin.whatif;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.model.Observation;
import io.nodepool.model.pool.Pool;
import io.nodepool.plugin.input.PluginCommand;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.ListedObjects;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.whatif.Forecast;
import io.nodepool.whatif.Question;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** A command that prints a forecast. It writes nothing. */
abstract class Asking extends PluginCommand {
  @Option(
      names = "--from",
      paramLabel = "FILE",
      description =
          "Ask of the objects of a file instead of a cluster, as they were when it was written last: the output of kubectl get -o yaml or -o json. With - of standard input.")
  private Optional<Path> file = Optional.empty();

  /** The question about the listed objects. */
  abstract Question question(List<Observation> listed);

  /** Further lines of the answer. */
  List<String> beside(ListedObjects listed, Question question, Forecast forecast, Instant now) {
    return List.of();
  }

  @Override
  protected final int run(ClusterClient client) {
    return answer(ListedObjects.of(client), now());
  }

  @Override
  protected final Optional<Integer> runWithoutCluster() {
    return file.map(path -> ListedObjects.read(path, now(), this::answer));
  }

  private int answer(ListedObjects seen, Instant now) {
    ListedObjects listed = seen.complete();
    listed.warnings(now).forEach(each -> err().println("warning: " + each));
    Question question = question(listed.observations());
    Forecast forecast = listed.forecast(question, now);
    ForecastText.of(forecast, beside(listed, question, forecast, now), now)
        .forEach(line -> out().println(TextTable.plain(line)));
    return forecast.isBlocked() || forecast.endsWork() ? ExitCodes.BLOCKED : ExitCodes.DONE;
  }

  /** A pool that was listed. */
  static Pool pool(List<Observation> listed, String name) {
    return listed.stream()
        .flatMap(each ->
            each instanceof Observation.PoolSeen(Pool pool) && pool.id().name().equals(name)
                ? Stream.of(pool)
                : Stream.empty())
        .findFirst()
        .orElseThrow(() -> unknown("NodePool", name));
  }

  /** The names of Nodes that were listed. */
  static List<String> nodes(List<Observation> listed, List<String> names) {
    Set<String> nodes =
        listed.stream()
            .flatMap(each ->
                each instanceof Observation.NodeSeen(var node)
                    ? Stream.of(node.name())
                    : Stream.empty())
            .collect(Collectors.toSet());
    names.stream()
        .filter(name -> !nodes.contains(name))
        .findFirst()
        .ifPresent(name -> {
          throw unknown("Node of a NodePool", name);
        });
    return names;
  }

  private static CommandFailure unknown(String kind, String name) {
    return new CommandFailure("there is no %s %s that can be read".formatted(kind, name));
  }
}
