package io.nodepool.plugin.explain;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.explain.ListedCluster;
import io.nodepool.explain.PoolExplanation;
import io.nodepool.explain.PoolExplanation.NodeFate;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.model.snapshot.PoolSnapshot;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.plugin.input.NameOf;
import io.nodepool.plugin.input.PluginCommand;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.ListedObjects;
import io.nodepool.plugin.text.TextTable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Says which Nodes of a NodePool go or would go, and what keeps it from its target. */
@Command(
    name = "pool",
    description =
        "Say which Nodes of a NodePool leave, or would at another target, in which order and why, and what keeps it from its target. Nothing is written.")
final class ExplainPool extends PluginCommand {
  @Parameters(
      paramLabel = "POOL",
      converter = NameOf.OnePool.class,
      description = "Name of the NodePool.")
  private String name = "";

  @Option(
      names = "--target",
      paramLabel = "N",
      description = "Explain this target in Nodes instead of the NodePool's own.")
  private Optional<Integer> target = Optional.empty();

  @Option(names = "--all", description = "Print the Nodes with tenant work, too.")
  private boolean all;

  @Override
  protected void check() {
    require(target.map(each -> each >= 0).orElse(true), "--target must be at least 0");
  }

  @Override
  protected int run(ClusterClient client) {
    Instant now = now();
    ListedObjects listed = ListedObjects.of(client);
    listed.missing().forEach(each -> err().println("warning: " + each));
    PoolSnapshot seen =
        ListedCluster.of(listed.objects().stream(), now)
            .snapshots()
            .pool(name)
            .orElseThrow(() ->
                new CommandFailure("there is no NodePool %s that can be read".formatted(name)));
    PoolPlanner planner = new PoolPlanner(InstanceCatalogue.bundled(), PlanSettings.DEFAULTS);
    print(
        PoolExplanation.of(
            planner,
            seen,
            target.map(OptionalInt::of).orElse(OptionalInt.empty()),
            now));
    return ExitCodes.DONE;
  }

  private void print(PoolExplanation answer) {
    out()
        .println(
            "%d -> %d: %s".formatted(answer.current(), answer.target(), answer.sentence()));
    List<NodeFate> shown =
        answer.nodes().stream()
            .filter(each -> all || !each.active() || each.fate().equals("remove"))
            .toList();
    if (!shown.isEmpty()) {
      TextTable table = new TextTable("", 2).row("RANK", "NODE", "FATE", "DECIDED BY", "CHANGES IF");
      shown.forEach(each ->
          table.row(
              String.valueOf(each.rank()),
              each.node(),
              each.fate(),
              each.decidedBy(),
              each.changesIf()));
      table.print(out());
    }
    int left = answer.nodes().size() - shown.size();
    if (left > 0) {
      out().println("     +%d active (--all)".formatted(left));
    }
    answer
        .holds()
        .forEach(each ->
            out()
                .println(
                    TextTable.plain(
                        "%s %s: %s".formatted(each.what(), each.reason(), each.message()))));
  }
}
