package io.nodepool.bench.raw;

import io.nodepool.kubernetes.client.RequestCounts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The measured requests, ordered for a plain client: requests of a machine in the order of its
 * life, all others separately. Pure.
 *
 * @param chains the kinds of requests of each machine, in order
 * @param loose the requests that belong to no single machine
 */
record RawPlan(RawLife life, List<List<String>> chains, List<String> loose) {
  public RawPlan {
    chains = chains.stream().map(List::copyOf).toList();
    loose = List.copyOf(loose);
  }

  /** The plan for these requests, distributed evenly over the machines. */
  static RawPlan of(RawLife life, RequestCounts writes, int machines) {
    List<List<String>> chains = new ArrayList<>();
    for (int machine = 0; machine < machines; machine++) {
      chains.add(chain(life.order(), writes, machine, machines));
    }
    List<String> loose = new ArrayList<>();
    for (Map.Entry<String, Long> entry : writes.byKind().entrySet()) {
      if (!life.order().contains(entry.getKey())) {
        for (long write = 0; write < entry.getValue(); write++) {
          loose.add(entry.getKey());
        }
      }
    }
    return new RawPlan(life, chains, loose);
  }

  private static List<String> chain(
      List<String> order, RequestCounts writes, int machine, int machines) {
    List<String> chain = new ArrayList<>();
    for (int place = 0; place < order.size(); place++) {
      String kind = order.get(place);
      long count = writes.of(kind);
      long share = count / machines + (machine < count % machines ? 1 : 0);
      long left = share - Collections.frequency(chain, kind);
      boolean again = order.subList(place + 1, order.size()).contains(kind);
      chain.addAll(Collections.nCopies((int) (again ? Math.min(1, left) : left), kind));
    }
    return chain;
  }

  /** The number of writes. */
  long total() {
    return loose.size() + chains.stream().mapToLong(List::size).sum();
  }

  /** The same mix of writes for another number of machines, rounded up. */
  static RequestCounts scaled(RequestCounts writes, int from, int to) {
    TreeMap<String, Long> scaled = new TreeMap<>();
    writes
        .byKind()
        .forEach((kind, count) -> scaled.put(kind, Math.ceilDiv(count * to, (long) from)));
    return new RequestCounts(scaled);
  }
}
