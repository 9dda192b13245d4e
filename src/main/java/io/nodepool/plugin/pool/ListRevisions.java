package io.nodepool.plugin.pool;

import io.nodepool.plugin.input.PluginSurroundings;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.Age;
import io.nodepool.plugin.text.TextTable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Lists the configurations of a NodePool. */
@Command(
    name = "revisions",
    mixinStandardHelpOptions = true,
    description =
        "List the configurations that are or were active in a NodePool, and the pending one.")
public final class ListRevisions implements Callable<Integer> {
  @Mixin private final PoolArguments pool = new PoolArguments();

  @Override
  public Integer call() {
    return pool.run((_, seen) -> print(seen));
  }

  private void print(PoolReading seen) {
    // After a rollback, a revision may be the pending configuration.
    Optional<PoolReading.Revision> onlyPending =
        seen.pending().filter(each -> seen.revision(each.profile()).isEmpty());
    List<PoolReading.Revision> all =
        Stream.concat(seen.revisions().stream(), onlyPending.stream()).toList();
    if (all.isEmpty()) {
      pool.command()
          .commandLine()
          .getErr()
          .println("NodePool %s has no configuration yet.".formatted(seen.name()));
      return;
    }
    Instant now = PluginSurroundings.of(pool.command()).clock().instant();
    TextTable table =
        new TextTable("", 3)
            .row(List.of("PROFILE", "ACTIVE", "NODES", "AGE", "DISABLED", "SUMMARY"));
    all.forEach(each ->
        table.row(
            List.of(
                each.profile(),
                symbol(seen, each),
                String.valueOf(each.nodes()),
                Age.since(each.createdAt(), now),
                String.valueOf(each.disabled()),
                TextTable.orNone(String.join(", ", each.summary())))));
    table.print(pool.command().commandLine().getOut());
  }

  private static String symbol(PoolReading seen, PoolReading.Revision revision) {
    if (revision.profile().equals(seen.active())) {
      return "*";
    }
    return seen.pending().filter(each -> each.profile().equals(revision.profile())).isPresent()
        ? "pending"
        : "";
  }
}
