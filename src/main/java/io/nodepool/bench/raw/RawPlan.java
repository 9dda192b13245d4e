package io.nodepool.bench.raw;

import io.nodepool.kubernetes.client.RequestCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The measured writes, ordered for a plain client: those of a machine in the order of its life, all
 * others as separate writes. Pure.
 *
 * @param chains the kinds of writes of each machine, in order
 * @param loose the writes that belong to no single machine
 */
public record RawPlan(List<List<String>> chains, List<String> loose) {
  /** The kinds of writes that belong to a machine, in the order of its life. */
  private static final List<String> OF_A_MACHINE =
      List.of(
          "patch hosts",
          "patch hosts/status",
          "create nodes",
          "patch nodes",
          "create events",
          "patch nodes/status");

  public RawPlan {
    chains = chains.stream().map(List::copyOf).toList();
    loose = List.copyOf(loose);
  }

  /** The plan for these writes, distributed evenly over the machines. */
  public static RawPlan of(RequestCounts writes, int machines) {
    List<List<String>> chains = new ArrayList<>();
    for (int machine = 0; machine < machines; machine++) {
      List<String> chain = new ArrayList<>();
      for (String kind : OF_A_MACHINE) {
        long count = writes.of(kind);
        long share = count / machines + (machine < count % machines ? 1 : 0);
        for (long write = 0; write < share; write++) {
          chain.add(kind);
        }
      }
      chains.add(chain);
    }
    List<String> loose = new ArrayList<>();
    for (Map.Entry<String, Long> entry : writes.byKind().entrySet()) {
      if (!OF_A_MACHINE.contains(entry.getKey())) {
        for (long write = 0; write < entry.getValue(); write++) {
          loose.add(entry.getKey());
        }
      }
    }
    return new RawPlan(chains, loose);
  }

  /** The number of writes. */
  long total() {
    return loose.size() + chains.stream().mapToLong(List::size).sum();
  }

  /** The same mix of writes for another number of machines, rounded up. */
  public static RequestCounts scaled(RequestCounts writes, int from, int to) {
    TreeMap<String, Long> scaled = new TreeMap<>();
    writes
        .byKind()
        .forEach((kind, count) -> scaled.put(kind, Math.ceilDiv(count * to, (long) from)));
    return new RequestCounts(scaled);
  }
}
