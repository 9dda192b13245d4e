package io.nodepool.plugin.whatif;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.model.Observation;
import io.nodepool.plugin.input.PluginCommand;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.ListedObjects;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.whatif.Forecast;
import io.nodepool.whatif.Question;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;

/** A command that asks what would happen. It writes nothing. */
abstract class Asking extends PluginCommand {
  /** What is asked, of objects that exist. */
  abstract Question question(ClusterClient client, List<Observation> listed);

  @Override
  protected final int run(ClusterClient client) {
    ListedObjects listed = ListedObjects.of(client).complete();
    Instant now = now();
    listed.warnings(now).forEach(each -> err().println("warning: " + each));
    Question question = question(client, listed.observations());
    Forecast forecast = listed.forecast(question, now);
    ForecastText.of(forecast, now).forEach(line -> out().println(TextTable.plain(line)));
    return forecast.isBlocked() || forecast.endsWork() ? ExitCodes.BLOCKED : ExitCodes.DONE;
  }

  /** The name of a pool that was listed. */
  static String pool(List<Observation> listed, String name) {
    return known(
        name,
        "NodePool",
        listed,
        each -> each instanceof Observation.PoolSeen(var pool) && pool.id().name().equals(name));
  }

  /** The names of Nodes that were listed. */
  static List<String> nodes(List<Observation> listed, List<String> names) {
    return names.stream()
        .map(name ->
            known(
                name,
                "Node of a NodePool",
                listed,
                each -> each instanceof Observation.NodeSeen(var node) && node.name().equals(name)))
        .toList();
  }

  private static String known(
      String name, String kind, List<Observation> listed, Predicate<Observation> is) {
    if (listed.stream().noneMatch(is)) {
      throw new CommandFailure("there is no %s %s that can be read".formatted(kind, name));
    }
    return name;
  }
}
