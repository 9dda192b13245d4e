package io.nodepool.plugin.pool;

import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.text.Columns;
import io.nodepool.plugin.text.OutputFormat;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Lists the configurations of a NodePool. */
@Command(
    name = "revisions",
    description =
        "List the configurations that are or were active in a NodePool, and the pending one.")
public final class ListRevisions extends OnePoolCommand {
  @Option(
      names = {"-o", "--output"},
      paramLabel = "wide|json|yaml|name",
      converter = OutputFormat.OfTable.class,
      description = "wide is the usual table; json, yaml, or name.")
  private OutputFormat format = OutputFormat.WIDE;

  @Option(names = "--no-headers", description = "Leave out the titles of the columns.")
  private boolean noHeaders;

  @Override
  void run(ClusterClient client, PoolReading seen) {
    // After a rollback, a revision may be the pending configuration.
    Optional<PoolReading.Revision> onlyPending =
        seen.pending().filter(each -> seen.revision(each.profile()).isEmpty());
    List<PoolReading.Revision> all =
        Stream.concat(seen.revisions().stream(), onlyPending.stream()).toList();
    if (all.isEmpty() && format == OutputFormat.WIDE) {
      err().println("NodePool %s has no configuration yet.".formatted(seen.name()));
    } else {
      columns(seen, now()).list("revision", all).print(out(), format, !noHeaders);
    }
  }

  private Columns<PoolReading.Revision> columns(PoolReading seen, Instant now) {
    Columns<PoolReading.Revision> columns =
        new Columns<PoolReading.Revision>(now).name("PROFILE", PoolReading.Revision::profile);
    if (format.isDocument()) {
      columns
          .add("ACTIVE", each -> isActive(seen, each))
          .add("PENDING", each -> isPending(seen, each));
    } else {
      columns.add(
          "ACTIVE", each -> isActive(seen, each) ? "*" : isPending(seen, each) ? "pending" : "");
    }
    return columns
        .add("NODES", PoolReading.Revision::nodes)
        .age("AGE", PoolReading.Revision::createdAt)
        .add("DISABLED", PoolReading.Revision::disabled)
        .add("SUMMARY", PoolReading.Revision::summary);
  }

  private static boolean isActive(PoolReading seen, PoolReading.Revision revision) {
    return revision.profile().equals(seen.active());
  }

  private static boolean isPending(PoolReading seen, PoolReading.Revision revision) {
    return seen.pending().filter(each -> each.profile().equals(revision.profile())).isPresent();
  }
}
