package io.nodepool.plugin.pool;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.plugin.input.ClusterOptions;
import io.nodepool.plugin.input.ListOptions;
import io.nodepool.plugin.input.PluginSurroundings;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.Age;
import io.nodepool.plugin.text.PrintedList;
import io.nodepool.plugin.text.TextTable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lists NodePools. */
@Command(
    name = "get",
    mixinStandardHelpOptions = true,
    description = {
      "List NodePools: their Nodes in numbers, and what keeps them from their target.",
      "UP-TO-DATE are the Nodes that are booted into the active configuration, DISRUPTED those that something is done with.",
      "With -o wide: what is queued and in progress, the active configuration, its rollout, and repairs that wait."
    })
public final class GetPools implements Callable<Integer> {
  @Parameters(paramLabel = "POOL", description = "Names of NodePools. Default: all.")
  private List<String> names = new ArrayList<>();

  @Mixin private final ListOptions list = new ListOptions();
  @Mixin private final ClusterOptions cluster = new ClusterOptions();

  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() {
    try (ClusterClient client = cluster.open()) {
      return list.show(
          client, ApiPaths.POOLS, () -> listing(read(client)), () -> "No NodePools found.");
    }
  }

  private List<PoolReading> read(ClusterClient client) {
    List<PoolReading> pools = client.pools(list.labels());
    for (String name : names) {
      if (pools.stream().noneMatch(pool -> pool.name().equals(name))) {
        throw new CommandFailure("nodepool/%s: there is no such NodePool".formatted(name));
      }
    }
    return pools.stream().filter(pool -> names.isEmpty() || names.contains(pool.name())).toList();
  }

  private PrintedList listing(List<PoolReading> pools) {
    Instant now = PluginSurroundings.of(spec).clock().instant();
    List<String> header =
        List.of(
            "NAME",
            "TYPE",
            "CLASS",
            "TARGET",
            "CURRENT",
            "READY",
            "UP-TO-DATE",
            "DISRUPTED",
            "STATUS",
            "AGE");
    List<String> wide = List.of("QUEUED", "IN-PROGRESS", "CONFIGURATION", "ROLLOUT", "REPAIRS");
    return new PrintedList(
        "nodepool",
        0,
        list.isWide() ? Stream.concat(header.stream(), wide.stream()).toList() : header,
        pools.stream().map(pool -> row(pool, now)).toList(),
        Optional.of(pools.stream().map(PoolReading::json).<JsonNode>map(each -> each).toList()));
  }

  private List<String> row(PoolReading pool, Instant now) {
    List<String> row =
        new ArrayList<>(
            List.of(
                pool.name(),
                TextTable.orNone(pool.instanceType()),
                pool.computeClass(),
                String.valueOf(pool.target()),
                String.valueOf(pool.currentNodes()),
                String.valueOf(Math.max(0, pool.currentNodes() - pool.count("notReady"))),
                String.valueOf(pool.upToDate()),
                String.valueOf(pool.count("inDisruption")),
                PoolStanding.of(pool).word(),
                Age.since(pool.created(), now)));
    if (list.isWide()) {
      row.addAll(
          List.of(
              String.valueOf(pool.queued()),
              String.valueOf(pool.inProgress()),
              TextTable.orNone(pool.active()),
              TextTable.orNone(pool.rolloutPhase()),
              String.valueOf(pool.repairsWaiting())));
    }
    return row;
  }
}
