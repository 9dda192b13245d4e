package io.nodepool.bench.raw;

import io.nodepool.kubernetes.client.RequestCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The same writes once more, for a plain client: those about a machine in the order in which a
 * machine gets them, the others in a row of their own. Pure.
 *
 * @param chains for each machine its kinds of writes, in order
 * @param loose the writes that are about no single machine
 */
public record RawPlan(List<List<String>> chains, List<String> loose) {
  /** The kinds that are about one machine, in the order of its life. */
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

  /** The writes, dealt out to so many machines as evenly as it goes. */
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

  /** How many writes it is. */
  long total() {
    return loose.size() + chains.stream().mapToLong(List::size).sum();
  }

  /** The same mix for another number of machines, rounded up. */
  public static RequestCounts scaled(RequestCounts writes, int from, int to) {
    TreeMap<String, Long> scaled = new TreeMap<>();
    writes
        .byKind()
        .forEach((kind, count) -> scaled.put(kind, Math.ceilDiv(count * to, (long) from)));
    return new RequestCounts(scaled);
  }
}
