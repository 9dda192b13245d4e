package io.nodepool.plugin.pool;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.request.PoolReading;
import io.nodepool.plugin.request.TimeLimit;
import io.nodepool.vocabulary.Word;
import java.util.OptionalInt;
import java.util.function.Consumer;

/** Follows a rollout until it is complete, pauses or is stopped. */
final class RolloutWait {
  private final ClusterClient client;
  private final TimeLimit limit;
  private final Consumer<String> changes;

  /**
   * Follows a rollout.
   *
   * @param changes receives each line that differs from the line before, but not the last
   */
  RolloutWait(ClusterClient client, TimeLimit limit, Consumer<String> changes) {
    this.client = client;
    this.limit = limit;
    this.changes = changes;
  }

  /**
   * The end of the wait.
   *
   * @param code the exit code: 0 if the rollout is complete
   */
  record End(int code, String line) {}

  /**
   * Waits for the end.
   *
   * @throws CommandFailure if no rollout was started
   */
  End untilEnd(PoolReading first) {
    PoolReading pool = first;
    String last = "";
    while (true) {
      String line = line(pool);
      OptionalInt end = end(pool);
      if (end.isPresent()) {
        return new End(end.getAsInt(), line);
      }
      if (!line.equals(last)) {
        changes.accept(line);
        last = line;
      }
      if (limit.isOver()) {
        return new End(ExitCodes.TIMED_OUT, "not complete after " + limit.text());
      }
      client.awaitPool(pool, limit.watch());
      pool = client.pool(first.name());
    }
  }

  private static RolloutState.Phase phase(PoolReading pool) {
    return Word.of(RolloutState.Phase.class, pool.rolloutPhase())
        .orElse(RolloutState.Phase.RUNNING);
  }

  /** The exit code of a rollout that has ended; empty while it, or a command, is under way. */
  private static OptionalInt end(PoolReading pool) {
    if (!pool.isCurrent()) {
      return OptionalInt.empty();
    }
    return switch (phase(pool)) {
      case RUNNING -> OptionalInt.empty();
      case PAUSED -> OptionalInt.of(ExitCodes.PAUSED);
      case STOPPED -> OptionalInt.of(ExitCodes.STOPPED);
      case NONE -> {
        if (pool.rolloutNumber() == 0 && !pool.isUpToDate()) {
          throw new CommandFailure("no rollout was started");
        }
        yield OptionalInt.of(ExitCodes.DONE);
      }
    };
  }

  private static String line(PoolReading pool) {
    String nodes = "%s booted into %s".formatted(pool.upToDateText(), pool.active());
    String progress = phase(pool) == RolloutState.Phase.RUNNING ? pool.progress() : "";
    String why = pool.rolloutReason().isEmpty() ? progress : pool.rolloutReason();
    String phase = phase(pool) == RolloutState.Phase.NONE ? "Complete" : phase(pool).word();
    return "%s: %s%s"
        .formatted(pool.isCurrent() ? phase : "Requested", nodes, why.isEmpty() ? "" : ". " + why);
  }
}
