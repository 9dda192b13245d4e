package io.nodepool.bench.raw;

import io.nodepool.kubernetes.client.RequestCounts;
import java.util.List;
import java.util.TreeMap;

/** A part of the life of a machine, whose requests a plain client repeats. */
public enum RawLife {
  /** A free Host gets a registered Node. */
  GROWTH(
      List.of(
          "patch hosts",
          "patch hosts/status",
          "create nodes",
          "patch nodes",
          "create events",
          "patch nodes/status")),
  /** An idle Node is removed, and its Host is free again. */
  REMOVAL(
      List.of(
          "patch nodes",
          "create events",
          "patch nodes/status",
          RawLife.POD_LIST,
          "patch hosts",
          "patch hosts/status",
          "delete nodes",
          "patch hosts",
          "patch hosts/status"));

  static final String POD_LIST = "list pods";

  private final List<String> order;

  RawLife(List<String> order) {
    this.order = order;
  }

  /**
   * The kinds of requests about a machine, in the order of its life. If a kind is listed twice, the
   * first place is for its first request, the last for all others.
   */
  List<String> order() {
    return order;
  }

  /** The writes that make a number of free Hosts run for a pool with registered Nodes. */
  static RequestCounts growthOf(int machines) {
    TreeMap<String, Long> counts = new TreeMap<>();
    GROWTH.order.stream()
        .filter(kind -> !kind.equals("create events"))
        .forEach(kind -> counts.put(kind, (long) machines));
    return new RequestCounts(counts);
  }

  /** These writes, and lists of the Pods of a Node. */
  public static RequestCounts withPodLists(RequestCounts writes, long lists) {
    TreeMap<String, Long> counts = new TreeMap<>(writes.byKind());
    counts.put(POD_LIST, lists);
    return new RequestCounts(counts);
  }
}
