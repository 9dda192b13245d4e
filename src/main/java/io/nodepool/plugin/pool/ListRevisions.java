package io.nodepool.plugin.pool;

import io.nodepool.plugin.input.PluginSurroundings;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.Age;
import io.nodepool.plugin.text.OutputFormat;
import io.nodepool.plugin.text.PrintedList;
import io.nodepool.plugin.text.TextTable;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the configurations of a NodePool. */
@Command(
    name = "revisions",
    mixinStandardHelpOptions = true,
    description =
        "List the configurations that are or were active in a NodePool, and the pending one.")
public final class ListRevisions implements Callable<Integer> {
  @Mixin private final PoolArguments pool = new PoolArguments();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORMAT",
      converter = OutputFormat.OfTable.class,
      description = "wide is the usual table; json, yaml, or name.")
  private OutputFormat format = OutputFormat.WIDE;

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
    Instant now = PluginSurroundings.of(pool.command()).clock().instant();
    PrintedList listing =
        new PrintedList(
            "revision",
            0,
            List.of("PROFILE", "ACTIVE", "NODES", "AGE", "DISABLED", "SUMMARY"),
            all.stream().map(each -> row(seen, each, now)).toList(),
            Optional.empty());
    if (all.isEmpty() && format == OutputFormat.WIDE) {
      pool.command()
          .commandLine()
          .getErr()
          .println("NodePool %s has no configuration yet.".formatted(seen.name()));
    } else {
      listing.print(pool.command().commandLine().getOut(), format);
    }
  }

  private static List<String> row(PoolReading seen, PoolReading.Revision each, Instant now) {
    return List.of(
        each.profile(),
        symbol(seen, each),
        String.valueOf(each.nodes()),
        Age.since(each.createdAt(), now),
        String.valueOf(each.disabled()),
        TextTable.orNone(String.join(", ", each.summary())));
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
