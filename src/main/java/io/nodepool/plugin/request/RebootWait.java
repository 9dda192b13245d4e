package io.nodepool.plugin.request;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.plugin.text.TextTable;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Waits until rebooted Nodes are back in production. */
public final class RebootWait {
  private static final Duration LONGEST_WATCH = Duration.ofMinutes(5);

  private final ClusterClient client;
  private final TimeLimit limit;

  /** Waits for no longer than a time-out, from now on. */
  public RebootWait(ClusterClient client, Optional<Duration> timeout, LongSupplier nanos) {
    this.client = client;
    this.limit = new TimeLimit(timeout, nanos);
  }

  /**
   * Waits until a Node is on another boot and in production.
   *
   * @param before the id of the boot that it was on when the reboot was requested
   * @throws CommandFailure if that takes too long
   */
  public String untilBack(String name, String before) {
    NodeReading node = client.node(name);
    while (!isBack(node, before)) {
      if (limit.isOver()) {
        throw new CommandFailure(
            "not back in production after %s: state %s, pending %s, Ready %s"
                .formatted(
                    limit.text(),
                    TextTable.orNone(node.label(NodeLabels.STATE)),
                    node.pendingState().orElse("<none>"),
                    TextTable.orNone(node.ready())));
      }
      client.awaitNode(node, limit.atMost(LONGEST_WATCH));
      node = client.node(name);
    }
    return "rebooted (boot id %s)".formatted(node.bootId());
  }

  private static boolean isBack(NodeReading node, String before) {
    return !node.bootId().equals(before)
        && node.isReady()
        && node.label(NodeLabels.STATE).equals(LifecycleState.PRODUCTION.word())
        && node.label(NodeLabels.PENDING_STATE).isEmpty()
        && node.pendingState().isEmpty()
        && !node.isReserved();
  }
}
