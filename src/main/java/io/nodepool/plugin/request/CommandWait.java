package io.nodepool.plugin.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.vocabulary.EventReason;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Waits until a promotion or rollback of a NodePool is carried out. */
public final class CommandWait {
  private static final List<String> REFUSALS =
      List.of(
          EventReason.NODE_POOL_NO_PENDING_CONFIGURATION.word(),
          EventReason.NODE_POOL_NODE_CONFIG_UPDATE_CONFLICT.word(),
          EventReason.NODE_POOL_NODE_CONFIG_ROLLBACK_FAILED.word());

  private final ClusterClient client;
  private final TimeLimit limit;
  private final PoolReading before;
  private final Map<String, String> refusalsBefore;

  /**
   * A wait up to a limit. It is made before the command is written.
   *
   * @param before the NodePool before the command
   */
  public CommandWait(ClusterClient client, PoolReading before, TimeLimit limit) {
    this.client = client;
    this.limit = limit;
    this.before = before;
    this.refusalsBefore = refusals();
  }

  /**
   * Waits until the command is carried out.
   *
   * @param wanted the profile that the command makes active
   * @return the profile of the active configuration; not the wanted profile if a newer one replaced
   *     it before the command was carried out
   * @throws CommandFailure if the operator refuses the command, or the time limit is over
   */
  public String untilActive(String wanted) {
    PoolReading pool = client.pool(before.name());
    while (!pool.active().equals(wanted) && !pool.isCarriedOut()) {
      if (limit.isOver()) {
        throw new CommandFailure(
            ExitCodes.TIMED_OUT,
            "not carried out after %s: the active configuration is %s%s"
                .formatted(limit.text(), TextTable.orNone(pool.active()), why(pool)));
      }
      client.awaitPool(pool, limit.watch());
      pool = client.pool(before.name());
    }
    if (pool.active().equals(before.active())) {
      throw new CommandFailure(
          refusal().orElse("carried out, but %s is still active".formatted(pool.active())));
    }
    return pool.active();
  }

  private static String why(PoolReading pool) {
    return pool.waitingUntil().isEmpty()
        ? ""
        : "; the change waits until %s at most for Nodes in delivery"
            .formatted(pool.waitingUntil());
  }

  /** The operator's message about the refused command, from an Event that is new or has changed. */
  private Optional<String> refusal() {
    return client.poolEvents(before.name()).stream()
        .filter(CommandWait::isRefusal)
        .filter(event -> !version(event).equals(refusalsBefore.get(id(event))))
        .map(event -> event.path("message").asText(""))
        .findFirst();
  }

  private Map<String, String> refusals() {
    return client.poolEvents(before.name()).stream()
        .filter(CommandWait::isRefusal)
        .collect(Collectors.toMap(CommandWait::id, CommandWait::version, (_, last) -> last));
  }

  private static boolean isRefusal(JsonNode event) {
    return REFUSALS.contains(event.path("reason").asText(""));
  }

  private static String id(JsonNode event) {
    return event.at("/metadata/name").asText("");
  }

  private static String version(JsonNode event) {
    return event.at("/metadata/resourceVersion").asText("");
  }
}
