package io.nodepool.model.node;

import java.time.Instant;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The conditions of a Node about the health of its machine, by type.
 *
 * @param published conditions that the operator sets for alerts
 * @param others True conditions of other clients, such as the node problem detector
 */
public record NodeAlerts(
    SortedMap<String, NodeStatus.Entry> published, SortedMap<String, Other> others) {
  /**
   * A condition that another client writes.
   *
   * @param heartbeat when it was last confirmed
   */
  public record Other(Instant since, Instant heartbeat, String message) {}

  /** No such condition. */
  public static final NodeAlerts NONE = new NodeAlerts(new TreeMap<>(), new TreeMap<>());

  /** At most this many conditions of other clients are read. */
  public static final int MOST = 32;

  public NodeAlerts {
    published = Collections.unmodifiableSortedMap(new TreeMap<>(published));
    others = Collections.unmodifiableSortedMap(new TreeMap<>(others));
  }

  /** With this published condition; without it if the entry is empty or not True. */
  NodeAlerts withPublished(String type, Optional<NodeStatus.Entry> entry) {
    SortedMap<String, NodeStatus.Entry> next = new TreeMap<>(published);
    entry
        .filter(NodeStatus.Entry::status)
        .ifPresentOrElse(each -> next.put(type, each), () -> next.remove(type));
    return new NodeAlerts(next, others);
  }
}
