package io.nodepool.plugin.pool;

import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.plugin.input.ListingCommand;
import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.Columns;
import io.nodepool.plugin.text.PrintedList;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Lists NodePools. */
@Command(
    name = "get",
    description = {
      "List NodePools: their Nodes in numbers, and what matters most about each, as STATUS of kubectl get.",
      "UP-TO-DATE are the Nodes that are booted into the active configuration, DISRUPTED those that the operator removes, reboots, verifies or repairs.",
      "With -o wide: what is queued and in progress, the active configuration, its rollout, and repairs that wait."
    })
public final class GetPools extends ListingCommand {
  @Parameters(
      paramLabel = "POOL",
      converter = NameOf.OnePool.class,
      description = "Names of NodePools. Default: all.")
  private List<String> names = new ArrayList<>();

  @Override
  protected int run(ClusterClient client) {
    return show(client, ApiPaths.POOLS, () -> listing(read(client)), () -> "No NodePools found.");
  }

  private List<PoolReading> read(ClusterClient client) {
    List<PoolReading> pools = client.pools(labels());
    for (String name : names) {
      requireKnown("nodepool/" + name, name, pools.stream().map(PoolReading::name).toList());
    }
    return pools.stream().filter(pool -> names.isEmpty() || names.contains(pool.name())).toList();
  }

  private PrintedList listing(List<PoolReading> pools) {
    Columns<PoolReading> columns =
        new Columns<PoolReading>(now())
            .name("NAME", PoolReading::name)
            .addIfAny("TYPE", PoolReading::instanceType)
            .add("CLASS", PoolReading::computeClass)
            .add("TARGET", PoolReading::target)
            .add("CURRENT", PoolReading::currentNodes)
            .add("READY", pool -> Math.max(0, pool.currentNodes() - pool.count("notReady")))
            .add("UP-TO-DATE", PoolReading::upToDate)
            .add("DISRUPTED", pool -> pool.count("inDisruption"))
            .add("STATUS", PoolReading::standing)
            .age("AGE", PoolReading::created);
    if (isWide()) {
      columns
          .add("QUEUED", PoolReading::queued)
          .add("IN-PROGRESS", PoolReading::inProgress)
          .addIfAny("CONFIGURATION", PoolReading::active)
          .addIfAny("ROLLOUT", PoolReading::rolloutPhase)
          .add("REPAIRS", PoolReading::repairsWaiting);
    }
    return columns.list("nodepool", pools, PoolReading::json);
  }
}
